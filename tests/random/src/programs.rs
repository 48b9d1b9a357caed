//! Programs of many kernels that compare themselves and print which are wrong: compiled, run at several levels of x86-64, and counted. What a
//! kernel holds is the caller's (`warps`, `steps`).

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use clap::Args;

use crate::tool::Tools;

/// Levels of x86-64 that programs run at; a processor takes the highest that it has, up to these.
const LEVELS: [&str; 3] = ["1", "3", "4"];

#[derive(Args)]
pub struct Options {
    /// How many programs
    #[arg(long, default_value_t = 4)]
    count: u64,
    /// The first one's seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The level of optimisation
    #[arg(long, default_value = "-O2", allow_hyphen_values = true)]
    level: String,
    /// Programs at a time
    #[arg(short, default_value_t = 2)]
    jobs: usize,
    /// Print the programs instead, and run nothing
    #[arg(long)]
    print: bool,
}

/// A program and how many kernels it has; kernel `n` is wrong if it prints a line that begins with `kN `.
pub struct Program {
    pub text: String,
    pub kernels: usize,
}

/// Runs the programs of seeds; gives how many kernels passed and failed.
pub fn run(tools: &Tools, options: &Options, name: &str, make: fn(u64) -> Program) -> Result<(usize, usize)> {
    let seeds: Vec<u64> = (options.seed..options.seed + options.count).collect();
    if options.print {
        seeds.iter().for_each(|seed| println!("{}", make(*seed).text));
        return Ok((0, 0));
    }
    println!("{name} of seeds {} to {}", options.seed, options.seed + options.count.saturating_sub(1));
    let (next, counts) = (AtomicUsize::new(0), Mutex::new((0, 0)));
    std::thread::scope(|scope| -> Result<()> {
        let work = || -> Result<()> {
            while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                let program = make(*seed);
                let wrong = wrong(tools, &options.level, &program)?;
                for (kernel, what) in &wrong {
                    println!("FAIL {name} of seed {seed}, k{kernel}: {what}");
                    println!("again: cargo xtask random {name} --count 1 --seed {seed} --level={}", options.level);
                }
                let mut counts = counts.lock().expect("no thread panics");
                *counts = (counts.0 + program.kernels - wrong.len(), counts.1 + wrong.len());
            }
            Ok(())
        };
        let threads: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    Ok(counts.into_inner().expect("no thread panics"))
}

/// The kernels that are wrong, each once, and what was said. All of a program that does not compile or end.
fn wrong(tools: &Tools, level: &str, program: &Program) -> Result<Vec<(usize, String)>> {
    let folder = tempfile::Builder::new().prefix("aspen-random-").tempdir()?;
    std::fs::write(folder.path().join("main.cpp"), &program.text)?;
    let all = |what: &str| (0..program.kernels).map(|kernel| (kernel, what.to_owned())).collect();
    let compiled = tools.compile(folder.path(), &[level, "-fsycl-targets=native_cpu"], &["main.cpp"], "program")?;
    if let Some(why) = compiled.failure() {
        return Ok(all(&format!("does not compile: {why}")));
    }
    let mut wrong: Vec<(usize, String)> = Vec::new();
    for at in LEVELS {
        let said = tools.run(folder.path(), "./program", &[], &[("ASPEN_DEVICE_SELECTOR", "native_cpu"), ("ASPEN_CPU_LEVEL", at)])?;
        // Who ended it is not known, and those behind did not run.
        if !said.succeeded() {
            return Ok(all(&format!("ASPEN_CPU_LEVEL={at}: {}: {}", said.status, said.text)));
        }
        let lines = said.text.lines().filter_map(|line| line.strip_prefix('k')?.split_once(' '));
        for (kernel, what) in lines.filter_map(|(kernel, what)| Some((kernel.parse().ok()?, what))) {
            if wrong.iter().all(|(other, _)| *other != kernel) {
                wrong.push((kernel, format!("ASPEN_CPU_LEVEL={at}: {what}")));
            }
        }
    }
    Ok(wrong)
}
