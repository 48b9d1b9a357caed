//! Runs the programs of `tests/e2e` as a user would: public commands only, each in a fresh folder with a clean environment.
//!
//! A test is one file. Lines that begin with `//#` are directives, in order; `//# file: NAME` begins a further file whose lines count
//! from 1 (its directives belong to the test all the same). What comes before the first `file:` is the file itself. `//# also: PATH` puts a
//! file beside it that other tests use too, by its path from the test's folder.
//!
//! Steps
//! - `run: [VAR=VALUE …] COMMAND WORD…`   a command without a shell; quotes group words; `{self}` is the test's file
//! - `sh: COMMAND`                         the same through /bin/sh
//! - `zero: FILE SECTION`                  overwrites an ELF section's bytes by zeros
//! - `replace: FILE OLD NEW`               replaces the text OLD, which must occur, by NEW of the same length
//! - `hide-image: FILE SYMBOL`            makes the images that hold the kernel images of an unknown target
//! - `copy: FROM TO`, `remove: FILE`
//!
//! Expectations about the step before them (a step must succeed unless `exit` says otherwise)
//! - `exit: N`
//! - `stdout: LINE`, `stderr: LINE`        such a line is there
//! - `stdout~: REGEX`, `stderr~: REGEX`, `stdout!~: REGEX`, `stderr!~: REGEX`
//! - `count: N stdout|stderr REGEX`        matches of the expression
//! - `exists: FILE`, `absent: FILE`
//!
//! After every step that calls aspen++, the SPIR-V images in the folder must be valid (`images.rs`).
//!
//! A step fails in any case when the command dies by a signal, panics or runs longer than five minutes.
//!
//! A file that ends with `.md` is a chapter of the book, with sessions in place of directives (`chapter.rs`).
//!
//! `//# needs-root: WHY` anywhere: the test is for root alone; run by another user it is named, with the reason, and counted as skipped.
//!
//! `//# deep: WHY` ends what is run without `--deep`: what takes long and seldom finds what the rest does not. CI runs without it. Before
//! the first step, it is the whole test. A chapter is deep as a whole, by a line `<!-- deep: WHY -->`.

mod built;
mod chapter;
mod files;
mod images;
mod step;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;

use chapter::Chapter;

#[derive(Parser)]
#[command(about = "Runs tests/e2e through public commands")]
struct Args {
    /// Folder with aspen++ and aspen
    #[arg(long, required_unless_present = "validate")]
    bin: Option<PathBuf>,
    /// Folder of the tests
    #[arg(long, required_unless_present = "validate")]
    tests: Option<PathBuf>,
    /// Runs no tests: says whether the SPIR-V images of these files are valid
    #[arg(long, num_args = 1.., value_name = "FILE")]
    validate: Vec<PathBuf>,
    /// Only tests whose name contains this
    #[arg(long, default_value = "")]
    only: String,
    /// Not the test of this name
    #[arg(long, value_name = "NAME")]
    except: Vec<String>,
    /// A variable for every command of every test
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Where compiles are kept for a later run of the same tests on another device, and taken from
    #[arg(long, value_name = "FOLDER")]
    built: Option<PathBuf>,
    /// A variable for the compiles that are kept
    #[arg(long, value_name = "NAME=VALUE", requires = "built")]
    compilers_env: Vec<String>,
    /// Writes into chapters what their commands print, where it is not what they show
    #[arg(long)]
    update: bool,
    /// Also what stands behind `//# deep:`
    #[arg(long)]
    deep: bool,
    /// Tests at a time
    #[arg(short, default_value_t = one_more_than_cores())]
    jobs: usize,
}

/// Tests wait for timeouts, for devices and for the longest pass of a compile; one more of them has the processors meanwhile.
fn one_more_than_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) + 1
}

/// A test file taken apart.
struct Test {
    name: String,
    files: Vec<(String, String)>,
    directives: Vec<(usize, String, String)>,
    /// Why only root can run it.
    needs_root: Option<String>,
    chapter: Option<Chapter>,
    /// Whether something was left out, since it is deep.
    cut: bool,
}

impl Test {
    /// `deep`: with what only deep runs do.
    fn read(path: &Path, deep: bool) -> Result<Test> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let own_name = path.file_name().context("a test is a file")?.to_string_lossy().into_owned();
        let name = path.file_stem().context("a test is a file")?.to_string_lossy().into_owned();
        let (mut files, mut others, mut directives) = (vec![(own_name, String::new())], Vec::new(), Vec::new());
        let mut needs_root = None;
        if path.extension().is_some_and(|kind| kind == "md") {
            let chapter = Chapter::read(&text).with_context(|| path.display().to_string())?;
            let cut = !deep && text.lines().any(|line| line.starts_with("<!-- deep: "));
            return Ok(Test { name, files: Vec::new(), directives, needs_root, chapter: Some(chapter), cut });
        }
        let (mut cut, mut runs) = (false, false);
        for (number, line) in text.lines().enumerate() {
            let directive = line.strip_prefix("//# ").and_then(|rest| rest.split_once(':'));
            if let Some(("file", name)) = directive {
                files.push((name.trim().to_owned(), String::new()));
                continue;
            }
            if let Some(("also", other)) = directive {
                let other = path.with_file_name(other.trim());
                let content = std::fs::read_to_string(&other).with_context(|| format!("cannot read {}", other.display()))?;
                others.push((other.file_name().context("no file")?.to_string_lossy().into_owned(), content));
            } else if let Some(("needs-root", why)) = directive {
                needs_root = Some(why.trim().to_owned());
            } else if let Some(("deep", _)) = directive {
                cut = !deep;
            } else if let Some((key, value)) = directive {
                runs |= step::is_step(key);
                if !cut {
                    directives.push((number + 1, key.to_owned(), value.trim().to_owned()));
                }
            }
            let (_, content) = files.last_mut().context("there is always a file")?;
            content.push_str(line);
            content.push('\n');
        }
        if !runs {
            bail!("{} runs nothing", path.display());
        }
        files.append(&mut others);
        Ok(Test { name, files, directives, needs_root, chapter: None, cut })
    }

    /// Whether a step is left of it.
    fn runs(&self) -> bool {
        self.chapter.as_ref().map_or(!self.directives.is_empty(), |chapter| chapter.runs() && !self.cut)
    }

    fn run(&self, bin: &Path, env: &[String], built: Option<&built::Built>, update: Option<&Path>) -> Result<()> {
        let folder = tempfile::Builder::new().prefix("aspen-e2e-").tempdir()?;
        for (name, content) in &self.files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
            files::write(&path, content)?;
        }
        let own_name = self.files.first().map_or("", |(name, _)| name);
        let mut session = step::Session::new(folder.path(), bin, own_name, env, built);
        if let Some(chapter) = &self.chapter {
            let Some(path) = update else { return chapter.run(folder.path(), &mut session) };
            return Ok(std::fs::write(path, chapter.updated(folder.path(), &mut session)?)?);
        }
        for (index, (line, key, value)) in self.directives.iter().enumerate() {
            let later = &self.directives[index + 1..];
            let exit = later.iter().take_while(|(_, key, _)| !step::is_step(key)).find(|(_, key, _)| key == "exit");
            let exit =
                exit.map_or(Ok(0), |(_, _, value)| value.parse::<i32>()).with_context(|| format!("line {line}: exit takes a number"))?;
            session.directive(key, value, exit).with_context(|| format!("line {line}: {key}: {value}"))?;
        }
        Ok(())
    }
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    if !args.validate.is_empty() {
        let mut validator = images::Validator::default();
        args.validate.iter().try_for_each(|file| validator.file(file))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (bin, folder) = (args.bin.unwrap_or_default(), args.tests.unwrap_or_default());
    let bin = bin.canonicalize().with_context(|| format!("no folder {}", bin.display()))?;
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| format!("no folder {}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    let tests = paths.iter().filter(|path| path.is_file()).map(|path| Test::read(path, args.deep)).collect::<Result<Vec<_>>>()?;
    if let Some(unknown) = args.except.iter().find(|name| tests.iter().all(|test| test.name != **name)) {
        bail!("no test in {} is called '{unknown}'", folder.display());
    }
    let asked = |test: &&Test| test.name.contains(&args.only) && !args.except.contains(&test.name);
    let cut = tests.iter().filter(asked).filter(|test| test.cut).count();
    let tests: Vec<&Test> = tests.iter().filter(asked).filter(|test| test.runs()).collect();
    if tests.is_empty() && cut == 0 {
        bail!("no test in {} is called '{}'", folder.display(), args.only);
    }
    let is_root = std::fs::metadata("/proc/self").context("cannot see who runs this")?.uid() == 0;
    let (skipped, tests): (Vec<&Test>, Vec<&Test>) = tests.into_iter().partition(|test| test.needs_root.is_some() && !is_root);
    for test in &skipped {
        println!("SKIP {}: it needs root: {}", test.name, test.needs_root.as_deref().unwrap_or_default());
    }
    let built = args.built.map(|folder| built::Built { folder, variables: args.compilers_env });
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failed = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                while let Some(test) = tests.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    let (path, begin) = (folder.join(format!("{}.md", test.name)), std::time::Instant::now());
                    match test.run(&bin, &args.env, built.as_ref(), args.update.then_some(&path)) {
                        Ok(()) => println!("PASS {} ({:.0} s)", test.name, begin.elapsed().as_secs_f64()),
                        Err(error) => {
                            failed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            println!("FAIL {}: {error:#}", test.name);
                        }
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    let skipped = if skipped.is_empty() { String::new() } else { format!(", {} skipped", skipped.len()) };
    let deeper = if cut == 0 { String::new() } else { format!(", {cut} more with --deep") };
    println!("{} passed, {failed} failed{skipped}{deeper}", tests.len() - failed);
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
