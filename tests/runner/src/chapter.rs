//! A chapter of the book (`docs/book/*.md`) is a test as it stands: what a reader would do from its first line to its last.
//!
//! - A block ```` ```LANGUAGE,file=NAME ```` is written to that file.
//! - A block ```` ```console ```` is a session: after each `$ COMMAND` (`\` at its end goes on in the next line) stands what it prints, on both
//!   streams. `…` stands for any text within a line, and alone in a line for any lines. Commands succeed, but the last one of
//!   ```` ```console,exit=N ````.
//! - A program (` ```cpp `) without a file is an error, as it would be one that nothing compiles; other blocks are the reader's.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use regex::Regex;

use crate::files;
use crate::step::Session;

/// What a reader does.
enum Step {
    Write { file: String, text: String },
    Run { line: usize, command: String, exit: i32, shown: Range<usize> },
}

/// A chapter taken apart; lines count from 0.
pub struct Chapter {
    lines: Vec<String>,
    steps: Vec<Step>,
}

/// What stands behind the language of a block.
#[derive(Default)]
struct Info<'t> {
    language: &'t str,
    file: Option<&'t str>,
    exit: i32,
}

impl<'t> Info<'t> {
    fn read(text: &'t str) -> Result<Info<'t>> {
        let mut words = text.split(',');
        let mut info = Info { language: words.next().unwrap_or_default(), ..Info::default() };
        for word in words {
            match word.split_once('=') {
                Some(("file", name)) => info.file = Some(name),
                Some(("exit", status)) => info.exit = status.parse().with_context(|| format!("'{status}' is no status"))?,
                _ => bail!("'{word}' means nothing; there are file=NAME and exit=N"),
            }
        }
        Ok(info)
    }
}

impl Chapter {
    /// # Errors
    /// A block that is not closed, runs nothing or is a program without a file, with its line.
    pub fn read(text: &str) -> Result<Chapter> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let (mut steps, mut at) = (Vec::new(), 0);
        while at < lines.len() {
            let (start, fence) = (at, lines[at].clone());
            at += 1;
            let Some(info) = fence.strip_prefix("```") else { continue };
            let end =
                (at..lines.len()).find(|&line| lines[line] == "```").with_context(|| format!("line {at}: the block is not closed"))?;
            let info = Info::read(info).with_context(|| format!("line {at}"))?;
            match info {
                Info { file: Some(name), .. } => {
                    let text = lines[at..end].iter().fold(String::new(), |text, line| text + line + "\n");
                    steps.push(Step::Write { file: name.to_owned(), text });
                }
                Info { language: "console", exit, .. } => session(&lines, at..end, exit, &mut steps)?,
                Info { language: "cpp", .. } => {
                    bail!("line {at}: nothing compiles this program: say ```cpp,file=NAME and what to do with it")
                }
                _ => {}
            }
            at = end + 1;
            ensure!(at > start, "a block ends behind its start");
        }
        Ok(Chapter { lines, steps })
    }

    /// Whether it has sessions.
    pub fn runs(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Run { .. }))
    }

    /// Does all that it says, to the end even if some of it is not so.
    ///
    /// # Errors
    /// Every command that does not do what the chapter says.
    pub fn run(&self, folder: &Path, session: &mut Session<'_>) -> Result<()> {
        let wrong = self.follow(folder, session)?;
        ensure!(wrong.is_empty(), "{}", wrong.iter().fold(String::new(), |text, (why, _)| text + why));
        Ok(())
    }

    /// The chapter's text with what its commands print now where it shows something else.
    ///
    /// # Errors
    /// Commands that do not end as they must.
    pub fn updated(&self, folder: &Path, session: &mut Session<'_>) -> Result<String> {
        let mut lines = self.lines.clone();
        // From the end, so that what lies before keeps its place.
        for (why, found) in self.follow(folder, session)?.into_iter().rev() {
            let (range, said) = found.ok_or_else(|| anyhow!("{why}"))?;
            lines.splice(range, said.lines().map(str::to_owned));
        }
        Ok(lines.join("\n") + "\n")
    }

    /// What is not as it says: why, and what is to stand in which lines.
    fn follow(&self, folder: &Path, session: &mut Session<'_>) -> Result<Vec<(String, Found)>> {
        let mut wrong = Vec::new();
        for step in &self.steps {
            match step {
                Step::Write { file, text } => {
                    let path = folder.join(file);
                    std::fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
                    files::write(&path, text)?;
                }
                Step::Run { line, command, exit, shown } => {
                    // As on a terminal, both streams are one.
                    if let Err(error) = session.directive("sh", &format!("exec 2>&1\n{command}"), *exit) {
                        wrong.push((format!("\nline {}: {command}: {error:#}", line + 1), None));
                        continue;
                    }
                    let said = session.text("stdout")?;
                    ensure!(!said.contains("panicked at"), "line {}: {command} panicked:\n{said}", line + 1);
                    let said = said.lines().fold(String::new(), |text, line| text + line.trim_end() + "\n");
                    if !pattern(&self.lines[shown.clone()])?.is_match(&said) {
                        wrong.push((format!("\nline {}: {command}: prints\n{said}", line + 1), Some((shown.clone(), said))));
                    }
                }
            }
        }
        Ok(wrong)
    }
}

/// Lines of the chapter, and what belongs there.
type Found = Option<(Range<usize>, String)>;

/// The commands of a session.
fn session(lines: &[String], block: Range<usize>, exit: i32, steps: &mut Vec<Step>) -> Result<()> {
    let (mut at, first) = (block.start, steps.len());
    while at < block.end {
        let line = at;
        let mut command = lines[at].strip_prefix("$ ").with_context(|| format!("line {}: a session begins with `$ `", at + 1))?.to_owned();
        while command.ends_with('\\') && at + 1 < block.end {
            at += 1;
            write!(command, "\n{}", lines[at])?;
        }
        let shown = at + 1..(at + 1..block.end).find(|&line| lines[line].starts_with("$ ")).unwrap_or(block.end);
        at = shown.end;
        steps.push(Step::Run { line, command, exit: 0, shown });
    }
    ensure!(steps.len() > first, "line {}: the session is empty", block.start);
    if let Some(Step::Run { exit: status, .. }) = steps.last_mut() {
        *status = exit;
    }
    Ok(())
}

/// What fits the lines that a chapter shows.
fn pattern(lines: &[String]) -> Result<Regex> {
    let mut out = String::from("\\A");
    for line in lines {
        if line.trim() == "…" {
            out += "(?:.*\n)*?";
        } else {
            let parts: Vec<String> = line.trim_end().split('…').map(regex::escape).collect();
            out += &parts.join(".*");
            out.push('\n');
        }
    }
    Regex::new(&(out + "\\z")).context("the expected text is too long")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn what_fits() {
        for (shown, said, fits) in [
            ("", "", true),
            ("", "a\n", false),
            ("a (1)", "a (1)\n", true),
            ("a", "b\n", false),
            ("a", "a\nb\n", false),
            ("a…c", "abbbc\n", true),
            ("a…c", "ab\nc\n", false),
            ("a\n…\nz", "a\nz\n", true),
            ("a\n…\nz", "a\nb\nc\nz\n", true),
            ("…", "", true),
            ("a\n…", "b\n", false),
        ] {
            assert_eq!(pattern(&lines(shown)).expect("an expression").is_match(said), fits, "{shown:?} {said:?}");
        }
    }

    #[test]
    fn steps_of_chapters() {
        let shown = |text: &str| match Chapter::read(text) {
            Err(error) => format!("{error:#}"),
            Ok(chapter) => chapter.steps.iter().fold(String::new(), |out, step| {
                out + &match step {
                    Step::Write { file, text } => format!("[{file}: {text:?}]"),
                    Step::Run { command, exit, shown, .. } => format!("[{command:?} {exit} {shown:?}]"),
                }
            }),
        };
        for (text, expected) in [
            ("no blocks", ""),
            ("```cpp,file=a.cpp\nint a;\n```", r#"[a.cpp: "int a;\n"]"#),
            ("```console\n$ a\n1\n$ b\n```", r#"["a" 0 2..3]["b" 0 4..4]"#),
            ("```console,exit=1\n$ a\n$ b \\\n  c\n2\n```", r#"["a" 0 2..2]["b \\\n  c" 1 4..5]"#),
            ("```\nanything\n```\n```sh\n$ x\n```", ""),
            ("```cpp\nint a;\n```", "line 1: nothing compiles this program: say ```cpp,file=NAME and what to do with it"),
            ("```console\nls\n```", "line 2: a session begins with `$ `"),
            ("```console\n```", "line 1: the session is empty"),
            ("\n```console,fails\n```", "line 2: 'fails' means nothing; there are file=NAME and exit=N"),
            ("```console,exit=x\n```", "line 1: 'x' is no status: invalid digit found in string"),
            ("```console\n$ a", "line 1: the block is not closed"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
