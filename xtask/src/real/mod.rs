//! `cargo xtask real --source DIR`: programs that other people wrote in SYCL, from checkouts that the user gives, built and run with aspen++.
//! Nothing of them is in this repository.
//!
//! What came of each is pinned in `tests/real.toml`, a name and a verdict a line; `--pin` writes what was seen, and the table of docs/REAL.md
//! from it. A checkout is not written to: a program is built in a folder of ours, with links to what lies beside it there.

mod apps;
mod build;
pub mod links;
pub mod openmp;
pub mod pairs;
mod pinned;
mod suites;
mod verdict;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;

use crate::{install, shell::Tree};
use pinned::Pinned;
use suites::Program;
use verdict::Verdict;

/// `cargo xtask real`.
#[derive(clap::Args)]
pub struct Options {
    /// A checkout, or a folder of checkouts
    #[arg(long)]
    source: PathBuf,
    /// Only these suites
    #[arg(long, value_delimiter = ',')]
    suite: Vec<String>,
    /// Only programs of these names; '*' and '?' stand for anything, `[ab]` for one of these letters
    #[arg(long, value_delimiter = ',')]
    only: Vec<Pattern>,
    /// Every Nth program, for a look at all of them
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Folder of aspen++; without it, an installation is built
    #[arg(long)]
    bin: Option<PathBuf>,
    /// What is given to -fsycl-targets
    #[arg(long, default_value = "native_cpu")]
    targets: String,
    /// Seconds that a program may run
    #[arg(long, default_value_t = 60)]
    limit: u32,
    /// Programs at a time; times mean little with more than one
    #[arg(long, short = 'j', default_value_t = 1)]
    jobs: usize,
    /// Compile and link, run nothing
    #[arg(long)]
    no_run: bool,
    /// Take what is seen for what is expected from now on
    #[arg(long, conflicts_with = "no_run")]
    pin: bool,
}

/// Builds and runs programs; fails where a verdict is not the pinned one.
pub fn real(tree: &Tree, options: &Options) -> Result<()> {
    let source = options.source.canonicalize().with_context(|| format!("no folder {}", options.source.display()))?;
    ensure!(options.every > 0, "--every counts from 1");
    let suites = suites::find(&source, &options.suite)?;
    let bin = install::folder_of_tools(tree, options.bin.as_deref())?;
    let folder = tree.target.join("real");
    let builder = |number: usize| build::Builder {
        bin: bin.clone(),
        targets: options.targets.clone(),
        folder: folder.join(number.to_string()),
        limit: options.limit,
    };

    let path = tree.root.join("tests/real.toml");
    let mut pinned = Pinned::read(&path)?;
    let (mut wrong, mut tally, mut times, mut not_seen) = (Vec::new(), pinned::Tally::default(), Vec::new(), Vec::new());
    let chosen = |name: &str| options.only.is_empty() || options.only.iter().any(|pattern| pattern.matches(name));
    for suite in &suites {
        println!("\n== {}", suite.name);
        let programs: Vec<&Program> = suite.programs.iter().filter(|program| chosen(&program.name)).step_by(options.every).collect();
        for_all(
            &programs,
            options.jobs,
            |worker, program| builder(worker).build_and_run(suite, program, !options.no_run),
            |program, seen| {
                let seen = seen?;
                times.extend(seen.compiled.then_some(seen.compile_seconds));
                println!("{:36} {:>5.1} s  {}", program.name, seen.compile_seconds, seen.verdict);
                tally.add(&seen.verdict);
                let expected = pinned.suites.entry(suite.name.to_owned()).or_default();
                if options.pin {
                    expected.insert(program.name.clone(), seen.verdict);
                    // A run of hours may be interrupted.
                    pinned.write(&path)?;
                } else if let Some(expected) = expected.get(&program.name) {
                    if !expected.allows(&seen.verdict, options.no_run) {
                        wrong.push(format!("{} {}: {} (pinned: {expected})", suite.name, program.name, seen.verdict));
                    } else if matches!((expected, &seen.verdict), (Verdict::Right, Verdict::Slow)) {
                        not_seen.push(program.name.as_str());
                    }
                }
                Ok(())
            },
        )?;
    }
    if options.pin && options.only.is_empty() && options.every == 1 {
        // What is no longer a program of the suite is not expected of it.
        for suite in &suites {
            if let Some(expected) = pinned.suites.get_mut(suite.name) {
                expected.retain(|name, _| suite.programs.iter().any(|program| program.name == *name));
            }
        }
    }
    println!("\n{tally}");
    if !not_seen.is_empty() {
        // A slower machine, or a program that hangs: only a longer limit tells.
        println!("pinned as right, still running after {} s: {}", options.limit, not_seen.join(" "));
    }
    times.sort_by(f64::total_cmp);
    if let Some(median) = times.get(times.len() / 2) {
        println!("compile and link: median {median:.1} CPU s, longest {:.1}", times.last().unwrap_or(median));
    }
    if options.pin {
        pinned.write(&path)?;
        pinned.write_table(&tree.root.join("docs/REAL.md"))?;
        println!("pinned in {}", path.display());
        return Ok(());
    }
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("not what is pinned in tests/real.toml:\n{}", wrong.join("\n"))
}

/// Does the work for all, several at a time, and hands on what came of each as it comes; ends with the first error. The work is told which of
/// the workers does it.
fn for_all<T: Sync, R: Send>(
    all: &[T],
    jobs: usize,
    work: impl Fn(usize, &T) -> R + Sync,
    mut done: impl FnMut(&T, R) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for worker in 0..jobs.max(1) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send((one, work(worker, one))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        // Where this ends early, the receiver is gone and the workers stop after the program they are at.
        receiver.into_iter().try_for_each(|(one, came)| done(one, came))
    })
}
