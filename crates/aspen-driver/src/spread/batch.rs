//! Short jobs that go to a worker together: a batch system takes longer to start one than ocloc needs for a small kernel.
//!
//! A batch is a file beside the inputs that says what the commands of its jobs would say. Source: docs/SCALE.md "Plan past this machine".

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::names::{input_file, result_file};
use super::{Job, Stopped, job};
use crate::error::Error;

/// What compilers take at least, and what they take for a byte of SPIR-V or PTX: ocloc 22.43 on this kind of machine, for 2 to 67 KB
/// (docs/SCALE.md "Measured"). Wrong by a factor, it makes batches longer or shorter by that.
const START: Duration = Duration::from_millis(80);
const PER_BYTE: Duration = Duration::from_micros(80);

/// How long a job takes, as far as its input tells.
pub fn estimate(job: &Job) -> Duration {
    START + PER_BYTE * u32::try_from(job.input.len()).unwrap_or(u32::MAX)
}

/// The jobs' numbers by edges, those first that take longest: at the end none should be left that all others wait for. Jobs that are
/// `done` have edges of their own, as has any that fills a batch alone.
pub fn edges(jobs: &[Job], batch: Option<Duration>, done: impl Fn(&Job) -> bool) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&number| Reverse(estimate(&jobs[number])));
    let mut edges: Vec<Vec<usize>> = Vec::new();
    // The batch of each target that still has room, and what is in it.
    let mut open: Vec<(&str, usize, Duration)> = Vec::new();
    for number in order {
        let (job, takes) = (&jobs[number], estimate(&jobs[number]));
        let Some(enough) = batch.filter(|enough| takes < *enough && !done(job)) else {
            edges.push(vec![number]);
            continue;
        };
        match open.iter_mut().find(|(target, ..)| *target == job.target) {
            Some((_, edge, filled)) if *filled < enough => {
                edges[*edge].push(number);
                *filled += takes;
            }
            found => {
                let new = (job.target.as_str(), edges.len(), takes);
                edges.push(vec![number]);
                match found {
                    Some(full) => *full = new,
                    None => open.push(new),
                }
            }
        }
    }
    edges
}

/// A job of a batch, as its command would say it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    target: String,
    compiler: PathBuf,
    input: PathBuf,
    output: PathBuf,
    words: Vec<String>,
}

/// A batch's file, from the graph's folder, and what it holds.
pub fn file<'j>(jobs: impl Iterator<Item = &'j Job>) -> (PathBuf, Vec<u8>) {
    let line = |job: &Job| Line {
        target: job.target.clone(),
        compiler: job.aot.compiler.clone(),
        input: input_file(job),
        output: result_file(job),
        words: job.aot.options.clone(),
    };
    let lines: Vec<Line> = jobs.map(line).collect();
    let text = serde_json::to_vec_pretty(&lines).expect("a graph's paths are UTF-8: `Folder::compiler` and names of ours");
    (Path::new("inputs").join(format!("{}.batch", blake3::hash(&text).to_hex())), text)
}

/// Runs the jobs of a batch's file, one after the other, and tells of each when it is over: the result's file, and what the compiler said,
/// or why there is no result. A job that fails keeps no other from running. Results that an attempt before this one made are kept.
///
/// # Errors
/// If the file cannot be read, which another machine may do better, or is no batch.
pub fn run(path: &Path, tell: &mut dyn FnMut(&Path, Result<String, Stopped>)) -> Result<(), Stopped> {
    let text = fs::read(path).map_err(|error| Stopped::Machine(Error::file("read", path, error).to_string()))?;
    let damaged = |error: serde_json::Error| {
        Stopped::Job(Error::input(path, format!("it is no batch of jobs that aspen++ wrote ({error})")).to_string())
    };
    let lines: Vec<Line> = serde_json::from_slice(&text).map_err(damaged)?;
    for Line { target, compiler, input, output, words } in &lines {
        let wanted = job::Job { target, compiler: Some(compiler), words, input, output };
        if !job::is_made(&wanted) {
            tell(output, job::compile_named(&wanted));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use aspen_codegen::{Aot, Form};

    use super::*;

    fn job(target: &str, bytes: usize) -> Job {
        let aot = Aot { form: Form::Ocloc, compiler: "ocloc".into(), options: vec!["-device".into(), target.into()] };
        let input = vec![0; bytes];
        let identity = aot.identity(&input);
        Job { target: target.into(), images: Vec::new(), kernels: Vec::new(), aot, input, identity }
    }

    #[test]
    fn the_longest_first_and_short_ones_together() {
        let jobs = [job("a", 10), job("a", 90_000), job("b", 12), job("a", 14), job("a", 11), job("b", 500), job("a", 13)];
        let check = |batch: Option<u64>, done: usize, expected: &[&[usize]]| {
            let is_done = |job: &Job| job.identity == jobs[done].identity;
            assert_eq!(edges(&jobs, batch.map(Duration::from_millis), is_done), expected, "{batch:?}");
        };
        check(None, 0, &[&[1], &[5], &[3], &[6], &[2], &[4], &[0]]);
        check(Some(1), 0, &[&[1], &[5], &[3], &[6], &[2], &[4], &[0]]);
        // Three of a's fill one, and b has its own.
        check(Some(200), 1, &[&[1], &[5, 2], &[3, 6, 4], &[0]]);
        check(Some(1000), 3, &[&[1], &[5, 2], &[3], &[6, 4, 0]]);
        check(Some(1_000_000), 3, &[&[1, 6, 4, 0], &[5, 2], &[3]]);
    }
}
