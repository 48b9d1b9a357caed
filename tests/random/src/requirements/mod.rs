//! Random programs about requirements, beside a naive model: what kernels need, which images they land in, and which warnings there are.

mod ast;
mod check;
mod emit;
mod generate;
mod model;
mod shrink;
mod snippets;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::tool::Tools;
use ast::Program;
use check::{MODES, Mismatch, Mode};

/// What programs may hold.
#[derive(Clone, Copy)]
pub struct Features {
    /// Marked types that IR does not show: empty members and bases, smaller alternatives of unions.
    pub hidden_types: bool,
    /// Functions that call each other in a circle.
    pub recursion: bool,
}

/// What programs hold unless `--with` or `--without` says otherwise.
const USUAL: Features = Features { hidden_types: true, recursion: true };

#[derive(Args)]
pub struct Options {
    /// How many programs
    #[arg(long, default_value_t = 50)]
    count: u64,
    /// The first one's seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these modes
    #[arg(long, value_delimiter = ',')]
    mode: Vec<String>,
    /// Of hidden-types and recursion: have these
    #[arg(long, value_delimiter = ',')]
    with: Vec<String>,
    /// Leave these out
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Compile each program in this many of the modes only, in turn
    #[arg(long)]
    spread: Option<usize>,
    /// Programs that are compiled together
    #[arg(long, default_value_t = 25)]
    batch: usize,
    /// Compilations at a time
    #[arg(short, default_value_t = 2)]
    jobs: usize,
    /// Print the program instead, and run nothing
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
                "hidden-types" => features.hidden_types = wanted,
                "recursion" => features.recursion = wanted,
                _ => bail!("there are hidden-types and recursion, not '{name}'"),
            }
        }
        Ok(features)
    }

    fn shown(&self) -> String {
        let list = |option: &str, names: &[String]| if names.is_empty() { String::new() } else { format!(" {option} {}", names.join(",")) };
        list("--with", &self.with) + &list("--without", &self.without)
    }

    fn modes(&self) -> Result<Vec<&'static Mode>> {
        if self.mode.is_empty() {
            return Ok(MODES.iter().collect());
        }
        let names: Vec<&str> = MODES.iter().map(|mode| mode.name).collect();
        let find = |name: &String| MODES.iter().find(|mode| mode.name == *name);
        self.mode.iter().map(|name| find(name).with_context(|| format!("no mode '{name}'; there are {}", names.join(", ")))).collect()
    }
}

/// Checks programs; gives how many passed and failed, of programs in modes.
pub fn run(tools: &Tools, options: &Options) -> Result<(usize, usize)> {
    let (features, modes) = (options.features()?, options.modes()?);
    let programs: Vec<Program> = (options.seed..options.seed + options.count).map(|seed| generate::program(seed, &features)).collect();
    if options.print {
        for file in emit::files(&programs.iter().collect::<Vec<_>>()) {
            println!("// {}\n{}", file.name, file.text);
        }
        return Ok((0, 0));
    }
    let kernels: usize = programs.iter().map(|program| program.kernels.len()).sum();
    println!("programs of seeds {} to {}, with {kernels} kernels", options.seed, options.seed + options.count - 1);
    let all: Vec<&Program> = programs.iter().collect();
    let spread = options.spread.unwrap_or(modes.len()).min(modes.len());
    let mut tasks: Vec<(&[&Program], &Mode)> = Vec::new();
    for (number, batch) in all.chunks(options.batch.max(1)).enumerate() {
        tasks.extend((0..spread).map(|at| (batch, modes[(number * spread + at) % modes.len()])));
    }
    let (next, failed, counts) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(BTreeMap::<&str, usize>::new()));
    std::thread::scope(|scope| -> Result<()> {
        let work = || -> Result<()> {
            while let Some((programs, mode)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                for (program, mismatch) in alone(tools, programs, mode)? {
                    println!("FAIL program of seed {}, {}: {}", program.seed, mode.name, mismatch.what);
                    failed.lock().expect("no thread panics").entry((program.seed, mode.name)).or_insert((program, *mode, mismatch));
                }
                *counts.lock().expect("no thread panics").entry(mode.name).or_default() += programs.len();
            }
            Ok(())
        };
        let threads: Vec<_> = (0..options.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("no thread panics"))
    })?;
    let failed = failed.into_inner().expect("no thread panics");
    let mut shown: Vec<String> = Vec::new();
    for (program, mode, mismatch) in failed.values() {
        if !options.no_shrink && shown.iter().filter(|kind| *kind == mismatch.kind()).count() < 3 {
            shown.push(mismatch.kind().to_owned());
            report(tools, options, program, mode, mismatch)?;
        }
    }
    let counts = counts.into_inner().expect("no thread panics");
    for (mode, count) in &counts {
        let wrong = failed.keys().filter(|(_, name)| name == mode).count();
        println!("{mode:20} {} right, {wrong} wrong", count - wrong);
    }
    let total: usize = counts.values().sum();
    Ok((total - failed.len(), failed.len()))
}

/// The mismatches of programs compiled together, each with its program: what is nobody's is looked for in halves.
fn alone<'p>(tools: &Tools, programs: &[&'p Program], mode: &Mode) -> Result<Vec<(&'p Program, Mismatch)>> {
    let found = check::check(tools, programs, mode)?;
    if programs.len() > 1 && found.iter().any(|mismatch| mismatch.program.is_none()) {
        let (low, high) = programs.split_at(programs.len() / 2);
        let mut out = alone(tools, low, mode)?;
        out.extend(alone(tools, high, mode)?);
        if out.is_empty() {
            // Only together they are wrong.
            out.extend(found.into_iter().map(|mismatch| (programs[0], mismatch)));
        }
        return Ok(out);
    }
    Ok(found.into_iter().map(|mismatch| (programs[mismatch.program.unwrap_or(0)], mismatch)).collect())
}

/// Shrinks a program that is not as the model says and prints what is left, with what makes it again.
fn report(tools: &Tools, options: &Options, program: &Program, mode: &Mode, mismatch: &Mismatch) -> Result<()> {
    let same = |candidate: &Program| -> Result<Option<Mismatch>> {
        Ok(check::check(tools, &[candidate], mode)?.into_iter().find(|found| found.kind() == mismatch.kind()))
    };
    let small = shrink::shrunk(program, |candidate| Ok(same(candidate)?.is_some()))?;
    println!("\n=== the program of seed {}, {}: {}", program.seed, mode.name, mismatch.what);
    println!("again: cargo xtask random requirements --seed {} --count 1 --mode {}{}", program.seed, mode.name, options.shown());
    match same(&small)? {
        Some(found) => println!("shrunk: {}", found.what),
        None => println!("only beside other programs"),
    }
    println!("by hand: aspen++ -fsycl-targets=spir64 {} unit*.cpp && aspen inspect a.out", mode.options.join(" "));
    for file in emit::files(&[&small]) {
        println!("--- {}\n{}", file.name, file.text);
    }
    Ok(())
}
