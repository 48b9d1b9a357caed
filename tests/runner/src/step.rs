//! One directive of a test: a step, or an expectation about the step before.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection};
use regex::RegexBuilder;

use crate::built::Built;
use crate::files;
use crate::images::Validator;

const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Whether the directive does something, rather than looking at what was done.
pub fn is_step(key: &str) -> bool {
    matches!(key, "run" | "sh" | "zero" | "replace" | "hide-image" | "copy" | "remove")
}

/// A test on its way: its folder and what its last command said.
pub struct Session<'t> {
    folder: &'t Path,
    bin: &'t Path,
    own_name: &'t str,
    env: &'t [String],
    built: Option<&'t Built>,
    said: BTreeMap<&'static str, String>,
    validator: Validator,
}

impl<'t> Session<'t> {
    pub fn new(folder: &'t Path, bin: &'t Path, own_name: &'t str, env: &'t [String], built: Option<&'t Built>) -> Self {
        Session { folder, bin, own_name, env, built, said: BTreeMap::new(), validator: Validator::default() }
    }

    /// Carries out one directive; `exit` is the status that a command of this step must end with.
    pub fn directive(&mut self, key: &str, value: &str, exit: i32) -> Result<()> {
        match key {
            "run" => {
                let words = words(&value.replace("{self}", self.own_name))?;
                let assignments = words.iter().take_while(|word| word.split_once('=').is_some_and(|(name, _)| is_variable(name))).count();
                let (variables, command) = words.split_at(assignments);
                let (program, arguments) = command.split_first().context("no command")?;
                let mut command = Command::new(self.program(program)?);
                command.args(arguments).envs(variables.iter().filter_map(|word| word.split_once('=')));
                let Some(built) = self.built.filter(|_| program == "aspen++" && exit == 0) else {
                    self.execute(command, exit)?;
                    return self.validate(value);
                };
                let before = built.before(value, self.folder)?;
                if let Some(said) = built.take(&before, self.folder)? {
                    self.said = said;
                    return Ok(());
                }
                command.envs(built.variables_beside(variables));
                self.execute(command, exit)?;
                self.validate(value)?;
                built.keep(&before, self.folder, &self.said)
            }
            "sh" => {
                let mut command = Command::new("/bin/sh");
                command.arg("-c").arg(value.replace("{self}", self.own_name));
                self.execute(command, exit)?;
                self.validate(value)
            }
            "exit" => Ok(()),
            "zero" => {
                let (file, section) = value.split_once(' ').context("zero takes a file and a section")?;
                let path = self.folder.join(file);
                let mut bytes = std::fs::read(&path)?;
                let range = {
                    let elf = object::File::parse(&*bytes)?;
                    let section = elf.section_by_name(section).with_context(|| format!("{file} has no section {section}"))?;
                    section.file_range().with_context(|| format!("{file}: the section has no bytes"))?
                };
                let start = usize::try_from(range.0)?;
                bytes[start..start + usize::try_from(range.1)?].fill(0);
                write_in_place(&path, &bytes)
            }
            "replace" => {
                let words = words(value)?;
                let [file, old, new] = &words[..] else { bail!("replace takes a file, the old and the new text") };
                ensure!(old.len() == new.len(), "the texts must be of one length");
                let path = self.folder.join(file);
                let mut bytes = std::fs::read(&path)?;
                let places: Vec<usize> =
                    (0..bytes.len().saturating_sub(old.len())).filter(|&at| bytes[at..].starts_with(old.as_bytes())).collect();
                ensure!(!places.is_empty(), "{file} does not hold '{old}'");
                for at in places {
                    bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
                }
                write_in_place(&path, &bytes)
            }
            "hide-image" => {
                let (file, kernel) = value.split_once(' ').context("hide-image takes a file and a kernel's symbol")?;
                let path = self.folder.join(file);
                let mut bytes = std::fs::read(&path)?;
                ensure!(hide_images(&mut bytes, kernel)? > 0, "{file} holds no image with {kernel}");
                write_in_place(&path, &bytes)
            }
            "copy" => {
                let (from, to) = value.split_once(' ').context("copy takes two files")?;
                Ok(files::copy(&self.folder.join(from), &self.folder.join(to))?)
            }
            "remove" => Ok(std::fs::remove_file(self.folder.join(value))?),
            "exists" => self.present(value, true),
            "absent" => self.present(value, false),
            "count" => {
                let mut parts = value.splitn(3, ' ');
                let (Some(count), Some(stream), Some(regex)) = (parts.next(), parts.next(), parts.next()) else {
                    bail!("count takes a number, a stream and an expression");
                };
                let found = expression(regex)?.find_iter(self.text(stream)?).count();
                ensure!(found == count.parse::<usize>()?, "found {found} times in:\n{}", self.text(stream)?);
                Ok(())
            }
            _ => self.text_expectation(key, value),
        }
    }

    /// What the compiler has just made, before a later step damages it.
    fn validate(&mut self, command: &str) -> Result<()> {
        if command.contains("aspen++") { self.validator.folder(self.folder) } else { Ok(()) }
    }

    fn text_expectation(&self, key: &str, value: &str) -> Result<()> {
        let (stream, how) = key.split_at(key.find(['~', '!']).unwrap_or(key.len()));
        let text = self.text(stream)?;
        let holds = match how {
            "" => text.lines().any(|line| line == value),
            "~" => expression(value)?.is_match(text),
            "!~" => !expression(value)?.is_match(text),
            _ => bail!("unknown directive"),
        };
        ensure!(holds, "{stream} is:\n{text}");
        Ok(())
    }

    /// What the last command said on `stdout` or `stderr`.
    pub fn text(&self, stream: &str) -> Result<&str> {
        self.said.get(stream).map(String::as_str).with_context(|| format!("unknown directive, or no command before it ({stream})"))
    }

    fn present(&self, file: &str, wanted: bool) -> Result<()> {
        ensure!(self.folder.join(file).exists() == wanted, "{file} is {}", if wanted { "not there" } else { "there" });
        Ok(())
    }

    /// Our own commands come from `--bin`, programs with a slash from the test's folder, all others from the system.
    fn program(&self, name: &str) -> Result<PathBuf> {
        if name.contains('/') {
            return Ok(self.folder.join(name));
        }
        let ours = self.bin.join(name);
        if ours.exists() {
            return Ok(ours);
        }
        ["/usr/local/bin", "/usr/bin", "/bin"]
            .iter()
            .map(|folder| Path::new(folder).join(name))
            .find(|path| path.exists())
            .with_context(|| format!("no command '{name}'"))
    }

    fn execute(&mut self, mut command: Command, exit: i32) -> Result<()> {
        let (out, err) = (self.folder.join(".stdout"), self.folder.join(".stderr"));
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.bin.display());
        let kept: Vec<(String, String)> =
            command.get_envs().filter_map(|(name, value)| Some((name.to_str()?.into(), value?.to_str()?.into()))).collect();
        // What a directive sets counts more than what is set for all.
        let common = self.env.iter().filter_map(|word| word.split_once('='));
        command
            .env_clear()
            .envs(common)
            .envs(kept)
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", self.folder)
            .env("TMPDIR", self.folder);
        command.current_dir(self.folder).stdin(Stdio::null()).stdout(std::fs::File::create(&out)?).stderr(std::fs::File::create(&err)?);
        let mut child = files::start(&mut command).with_context(|| format!("cannot start {:?}", command.get_program()))?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if start.elapsed() > TIME_LIMIT {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let read = |path: &Path| std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let (stdout, stderr) = (read(&out)?, read(&err)?);
        let shown = format!("stdout:\n{stdout}\nstderr:\n{stderr}");
        let Some(status) = status else { bail!("took longer than {} s; {shown}", TIME_LIMIT.as_secs()) };
        ensure!(status.signal().is_none(), "died by signal {:?}; {shown}", status.signal());
        ensure!(!stderr.contains("panicked at"), "panicked; {shown}");
        ensure!(status.code() == Some(exit), "exit {:?}, expected {exit}; {shown}", status.code());
        self.said = BTreeMap::from([("stdout", stdout), ("stderr", stderr)]);
        Ok(())
    }
}

/// Overwrites the target's name in every OffloadBinary (version 1) that lists the kernel, so that no device takes the image any more.
fn hide_images(bytes: &mut [u8], kernel: &str) -> Result<usize> {
    const MAGIC: [u8; 4] = [0x10, 0xff, 0x10, 0xad];
    let mut hidden = 0;
    let starts: Vec<usize> = (0..bytes.len().saturating_sub(MAGIC.len())).filter(|&at| bytes[at..].starts_with(&MAGIC)).collect();
    for start in starts {
        let number = |at: usize| -> Result<usize> {
            let field = bytes.get(start + at..start + at + 8).context("an OffloadBinary is cut off")?;
            Ok(usize::try_from(u64::from_le_bytes(field.try_into()?))?)
        };
        let text = |at: usize| -> Result<(usize, usize)> {
            let from = start + at;
            let length = bytes.get(from..).and_then(|rest| rest.iter().position(|&byte| byte == 0)).context("a string is not closed")?;
            Ok((from, length))
        };
        let entry = number(16)?;
        let (strings, count) = (number(entry + 8)?, number(entry + 16)?);
        let (mut listed, mut target) = (false, None);
        for index in 0..count {
            let (key, key_length) = text(number(strings + 16 * index)?)?;
            let (value, value_length) = text(number(strings + 16 * index + 8)?)?;
            match &bytes[key..key + key_length] {
                b"symbols" => {
                    listed = bytes[value..value + value_length].split(|&byte| byte == b',').any(|symbol| symbol == kernel.as_bytes())
                }
                b"arch" => target = Some((value, value_length)),
                _ => {}
            }
        }
        if let Some((at, length)) = target.filter(|_| listed) {
            bytes[at..at + length].fill(b'x');
            hidden += 1;
        }
    }
    Ok(hidden)
}

/// Keeps the file's mode, so that a patched executable stays one.
fn write_in_place(path: &Path, bytes: &[u8]) -> Result<()> {
    let mode = std::fs::metadata(path)?.permissions();
    std::fs::remove_file(path)?;
    files::write(path, bytes)?;
    Ok(std::fs::set_permissions(path, mode)?)
}

fn expression(text: &str) -> Result<regex::Regex> {
    RegexBuilder::new(text).multi_line(true).build().with_context(|| format!("bad expression '{text}'"))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Splits at spaces; single or double quotes keep what they enclose together.
fn words(text: &str) -> Result<Vec<String>> {
    let (mut out, mut word, mut quote, mut begun) = (Vec::new(), String::new(), None, false);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), c) => word.push(c),
            (None, '"' | '\'') => (quote, begun) = (Some(c), true),
            (None, ' ') => {
                if begun {
                    out.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            (None, c) => {
                word.push(c);
                begun = true;
            }
        }
    }
    ensure!(quote.is_none(), "a quote is not closed");
    if begun {
        out.push(word);
    }
    Ok(out)
}
