//! Random kernels with a reference: made from a seed, carried out by an interpreter, compiled and run in every configuration, and shrunk
//! when they fail.

mod arithmetic;
mod ast;
mod batch;
mod config;
mod cpp;
mod emit;
mod expressions;
mod generate;
mod interpret;
mod meetings;
mod memory;
mod shrink;
mod statements;
mod together;
mod tree;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::tool::Tools;
use ast::Kernel;
use batch::{Case, Failure};
use config::{CONFIGS, Config, Way};
use interpret::Outcome;

/// What kernels may hold.
#[derive(Clone, Copy)]
pub struct Features {
    /// Vectors of more than 128 bits.
    pub wide_vectors: bool,
    /// Structs aligned to more than 64 bytes.
    pub alignment: bool,
    /// Items that return before a barrier of the others.
    pub early_return: bool,
}

/// Everything.
#[cfg(test)]
const ALL: Features = Features { wide_vectors: true, alignment: true, early_return: true };

/// What kernels hold unless `--with` or `--without` says otherwise.
const USUAL: Features = Features { wide_vectors: true, alignment: true, early_return: true };

#[derive(Args)]
pub struct Options {
    /// How many kernels
    #[arg(long, default_value_t = 50)]
    count: u64,
    /// The first one's seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these configurations
    #[arg(long, value_delimiter = ',')]
    config: Vec<String>,
    /// Of wide-vectors, alignment and early-return: have these
    #[arg(long, value_delimiter = ',')]
    with: Vec<String>,
    /// Leave these out
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Compile each program in this many of the configurations only, in turn
    #[arg(long)]
    spread: Option<usize>,
    /// Kernels a program
    #[arg(long, default_value_t = 25)]
    batch: usize,
    /// Programs at a time
    #[arg(short, default_value_t = 2)]
    jobs: usize,
    /// Print the program of all kernels instead, and run nothing
    #[arg(long)]
    print: bool,
    /// Report failures as they are
    #[arg(long)]
    no_shrink: bool,
}

impl Options {
    fn features(&self) -> Result<Features> {
        let mut features = USUAL;
        let named = self.with.iter().map(|name| (name, true)).chain(self.without.iter().map(|name| (name, false)));
        for (name, wanted) in named {
            match name.as_str() {
                "wide-vectors" => features.wide_vectors = wanted,
                "alignment" => features.alignment = wanted,
                "early-return" => features.early_return = wanted,
                _ => bail!("there are wide-vectors, alignment and early-return, not '{name}'"),
            }
        }
        Ok(features)
    }

    /// What of the options makes the same kernels again.
    fn shown(&self) -> String {
        let list = |option: &str, names: &[String]| if names.is_empty() { String::new() } else { format!(" {option} {}", names.join(",")) };
        list("--with", &self.with) + &list("--without", &self.without)
    }

    fn configs(&self) -> Result<Vec<&'static Config>> {
        if self.config.is_empty() {
            return Ok(CONFIGS.iter().filter(|config| config.usual).collect());
        }
        let find = |name: &String| CONFIGS.iter().find(|config| config.name == *name);
        let names: Vec<&str> = CONFIGS.iter().map(|config| config.name).collect();
        let found = |name| find(name).with_context(|| format!("no configuration '{name}'; there are {}", names.join(", ")));
        self.config.iter().map(found).collect()
    }
}

/// Runs kernels; gives how many passed and failed, of kernels in configurations.
pub fn run(tools: &Tools, options: &Options) -> Result<(usize, usize)> {
    let (features, configs) = (options.features()?, options.configs()?);
    let made: Vec<(Kernel, Outcome)> = (options.seed..options.seed + options.count).map(|seed| generate::kernel(seed, &features)).collect();
    let cases: Vec<Case<'_>> = made.iter().map(|(kernel, outcome)| Case { kernel, outcome }).collect();
    if options.print {
        let (first, second) = batch::units(&cases);
        println!("{first}\n// other.cpp\n{second}");
        return Ok((0, 0));
    }
    println!("kernels of seeds {} to {}", options.seed, options.seed + options.count - 1);
    let batches: Vec<&[Case<'_>]> = cases.chunks(options.batch.max(1)).collect();
    let spread = options.spread.unwrap_or(configs.len()).min(configs.len());
    let mut tasks: Vec<(&[Case<'_>], &Config)> = Vec::new();
    for (number, batch) in batches.iter().enumerate() {
        tasks.extend((0..spread).map(|at| (*batch, configs[(number * spread + at) % configs.len()])));
    }
    let (next, failed, counts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(BTreeMap::<&str, usize>::new()));
    std::thread::scope(|scope| -> Result<()> {
        let work = || -> Result<()> {
            while let Some((cases, config)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                let failures = batch::check(tools, cases, config)?;
                for failure in failures {
                    let kernel = cases[failure.index].kernel;
                    println!("FAIL kernel of seed {}, {}{}: {}", kernel.seed, config.name, way(&failure), failure.what);
                    failed.lock().expect("no thread panics").entry((kernel.seed, config.name)).or_insert((kernel, *config, failure));
                }
                *counts.lock().expect("no thread panics").entry(config.name).or_default() += cases.len();
            }
            Ok(())
        };
        let threads: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    let failed = failed.into_inner().expect("no thread panics");
    // One of each kind is enough to look at.
    let mut shown: Vec<(u64, String)> = Vec::new();
    for ((seed, _), (kernel, config, failure)) in &failed {
        let key = (*seed, failure.kind().to_owned());
        if !options.no_shrink && !shown.contains(&key) && shown.len() < 8 {
            shown.push(key);
            report(tools, options, kernel, config, failure)?;
        }
    }
    let counts = counts.into_inner().expect("no thread panics");
    for (config, count) in &counts {
        let wrong = failed.keys().filter(|(_, name)| name == config).count();
        println!("{config:20} {} right, {wrong} wrong", count - wrong);
    }
    let total: usize = counts.values().sum();
    Ok((total - failed.len(), failed.len()))
}

fn way(failure: &Failure) -> String {
    failure.way.map_or(String::new(), |way| format!(", {way:?}"))
}

/// Shrinks a kernel that fails and prints what is left, with what makes it again.
fn report(tools: &Tools, options: &Options, kernel: &Kernel, config: &Config, failure: &Failure) -> Result<()> {
    let ways: &'static [Way] = match failure.way {
        Some(Way::Groups) => &[Way::Groups],
        Some(Way::Level(1)) => &[Way::Level(1)],
        Some(Way::Level(_)) => &[Way::Level(3)],
        Some(Way::Items) => &[Way::Items],
        Some(Way::OpenCl) => &[Way::OpenCl],
        None => config.ways,
    };
    let narrow = Config { name: config.name, options: config.options, ways, usual: false };
    let small = shrink::shrunk(kernel, |some| {
        let made: Vec<(&Kernel, Outcome)> = some.iter().filter_map(|kernel| Some((kernel, interpret::interpret(kernel).ok()?))).collect();
        let cases: Vec<Case<'_>> = made.iter().map(|(kernel, outcome)| Case { kernel, outcome }).collect();
        let failures = batch::check(tools, &cases, &narrow)?;
        let same = failures.iter().filter(|other| other.kind() == failure.kind());
        Ok(same.map(|failure| made[failure.index].0.clone()).collect())
    })?;
    let outcome = interpret::interpret(&small).map_err(|invalid| anyhow::anyhow!("the shrunk kernel is none: {}", invalid.why))?;
    let (first, second) = batch::units(&[Case { kernel: &small, outcome: &outcome }]);
    let features = options.shown();
    println!("\n=== the kernel of seed {} {} ({}{})", kernel.seed, failure.what, config.name, way(failure));
    println!("again: cargo xtask random kernels --seed {} --count 1 --config {}{features}", kernel.seed, config.name);
    println!(
        "by hand: aspen++ -w {} main.cpp{} && {}./a.out",
        config.options.join(" "),
        if second.is_empty() { "" } else { " other.cpp" },
        ways[0].shown()
    );
    println!("--- main.cpp (random.hpp: tests/random/src/kernels/prelude.hpp)\n{first}");
    if !second.is_empty() {
        println!("--- other.cpp\n{second}");
    }
    Ok(())
}
