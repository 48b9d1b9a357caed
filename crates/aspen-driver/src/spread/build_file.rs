//! The text of `build.ninja`. All paths are relative to its folder, but those of tools.
//! Source: ninja's manual, "Ninja file reference".

use std::collections::BTreeSet;
use std::fmt::Write;

use super::manifest::{MANIFEST, Manifest, PARTS, PRODUCER};
use super::names::{REGISTRATION, RESULTS, WORDS, input_file, result_file};
use super::{Content, Job, batch, job};
use crate::error::Error;
use crate::jobs::quoted;

/// What comes after the jobs.
pub struct Last<'l> {
    /// What the graph is made of.
    pub manifest: &'l Manifest,
    /// The folder of the process that writes the graph, from the graph's.
    pub back: String,
    /// The file with the words of the host link, from that folder.
    pub words: String,
    /// clang++.
    pub clang: String,
    /// The program, from that folder.
    pub program: String,
}

/// The text: an edge for each of `edges`, and what comes after them.
///
/// Rules of jobs are `generator`s, so that a result stays whoever made it: its name says which job it is of, and the command says that of
/// the launcher, and of the batch in which it was made.
///
/// # Errors
/// If a path cannot be part of a graph.
pub fn text(content: &Content, edges: &[Vec<usize>], aspen: &str, launcher: &[String], last: Option<&Last<'_>>) -> Result<String, Error> {
    let aspen = quoted(aspen);
    let launcher = if launcher.is_empty() { String::new() } else { format!("{aspen} launch -- {}", shell(launcher)) };
    let mut out = format!(
        "# {PRODUCER} wrote this. Results of jobs stay while what they are made of stays; exit code {} of a job means that the machine was \
         at fault.\nninja_required_version = 1.7\n\n# What stands before each job: `launcher = srun -n1 --`.\nlauncher = {}\naspen = {}\n\n\
         rule aot\n  command = $launcher $aspen aot --target $target --compiler $compiler $in_file -o $out -- $words\n  \
         description = $target: $images\n  generator = 1\n\n\
         rule batch\n  command = $launcher $aspen aot --batch $in_file\n  description = $target: $count images\n  generator = 1\n\n",
        job::MACHINE_AT_FAULT,
        value(&launcher)?,
        value(&aspen)?
    );
    for edge in edges {
        let jobs: Vec<&Job> = edge.iter().map(|&number| &content.jobs[number]).collect();
        match jobs[..] {
            [job] => alone(&mut out, job)?,
            _ => together(&mut out, &jobs)?,
        }
    }
    let results = results(content.jobs.iter())?;
    let _ = write!(out, "build {RESULTS}: phony {results}\n\n");
    let Some(last) = last else { return Ok(out) };
    let inputs = last.manifest.inputs.iter().map(|named| path(&named.path)).collect::<Result<Vec<_>, _>>()?.join(" ");
    // The linker writes beside the program, which changes only when the new one is whole.
    let unfinished = format!("{}.unfinished", last.program);
    let finish = format!(
        "cd {} && {} {} -o {} && mv -f -- {} {}",
        quoted(&last.back),
        quoted(&last.clang),
        quoted(&format!("@{}", last.words)),
        quoted(&unfinished),
        quoted(&unfinished),
        quoted(&last.program)
    );
    let (program, of) = (path(&last.manifest.program)?, value(&last.manifest.program)?);
    let _ = write!(
        out,
        "rule pack\n  command = $aspen aot-pack {MANIFEST} -o $out\n  description = images\n\n\
         build {REGISTRATION}: pack {MANIFEST} | {PARTS} {inputs} {results} || {RESULTS}\n\n\
         rule link\n  command = {}\n  description = {of}\n\n\
         build {program}: link {WORDS} | {REGISTRATION} {inputs}\n\ndefault {program}\n",
        value(&finish)?
    );
    Ok(out)
}

fn alone(out: &mut String, job: &Job) -> Result<(), Error> {
    let input = input_file(job).display().to_string();
    let compiler = job.aot.compiler.display().to_string();
    let _ = write!(
        out,
        "build {}: aot {}{}\n  target = {}\n  compiler = {}\n  in_file = {}\n  words = {}\n  images = {}\n\n",
        results([job].into_iter())?,
        path(&input)?,
        compilers([job].into_iter())?,
        value(&quoted(&job.target))?,
        value(&quoted(&compiler))?,
        value(&quoted(&input))?,
        value(&shell(&job.aot.options))?,
        value(&job.images.join(", "))?
    );
    Ok(())
}

/// Jobs of one target.
fn together(out: &mut String, jobs: &[&Job]) -> Result<(), Error> {
    let (file, _) = batch::file(jobs.iter().copied());
    let file = file.display().to_string();
    let inputs = jobs.iter().map(|job| path(&input_file(job).display().to_string())).collect::<Result<BTreeSet<_>, _>>()?;
    let inputs: Vec<String> = inputs.into_iter().collect();
    let compilers = compilers(jobs.iter().copied())?;
    let compilers = compilers.strip_prefix(" |").unwrap_or_default();
    let _ = write!(
        out,
        "build {}: batch {} | {}{compilers}\n  target = {}\n  in_file = {}\n  count = {}\n\n",
        results(jobs.iter().copied())?,
        path(&file)?,
        inputs.join(" "),
        value(&quoted(&jobs[0].target))?,
        value(&quoted(&file))?,
        jobs.iter().map(|job| job.images.len()).sum::<usize>()
    );
    Ok(())
}

fn results<'j>(jobs: impl Iterator<Item = &'j Job>) -> Result<String, Error> {
    let paths = jobs.map(|job| path(&result_file(job).display().to_string())).collect::<Result<Vec<_>, _>>()?;
    Ok(paths.join(" "))
}

/// Compilers that are files, as prerequisites; those of `PATH` are the worker's.
fn compilers<'j>(jobs: impl Iterator<Item = &'j Job>) -> Result<String, Error> {
    let files = jobs.map(|job| job.aot.compiler.display().to_string()).filter(|compiler| compiler.contains('/'));
    let paths = files.map(|file| path(&file)).collect::<Result<BTreeSet<_>, _>>()?;
    Ok(if paths.is_empty() { String::new() } else { format!(" | {}", paths.into_iter().collect::<Vec<_>>().join(" ")) })
}

fn shell(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A variable's value as ninja reads it.
fn value(text: &str) -> Result<String, Error> {
    if text.contains(['\n', '\r']) {
        return Err(Error::Usage(format!("a graph for ninja cannot hold a line break: {text:?}")));
    }
    Ok(text.replace('$', "$$"))
}

/// A path of a `build` line as ninja reads it.
fn path(text: &str) -> Result<String, Error> {
    if text.contains('|') {
        return Err(Error::Usage(format!("a graph for ninja cannot hold the path '{text}': it has no way to write '|'")));
    }
    Ok(value(text)?.replace(' ', "$ ").replace(':', "$:"))
}

/// Words as clang reads them from a file.
pub fn response_file(words: &[String]) -> String {
    words.iter().map(|word| format!("\"{}\"\n", word.replace('\\', "\\\\").replace('"', "\\\""))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_ninja_and_clang_read_them() {
        assert_eq!(path("a b:c$d").expect("one line"), "a$ b$:c$$d");
        assert!(path("a\nb").is_err() && path("a|b").is_err());
        assert_eq!(response_file(&["a \"b\\".into(), "-c".into()]), "\"a \\\"b\\\\\"\n\"-c\"\n");
    }
}
