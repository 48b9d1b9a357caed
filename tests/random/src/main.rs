//! Random programs against what they must do. `kernels`: what a kernel computes, in every configuration, against an interpreter of our own.
//! `requirements`: what kernels need and which warnings there are, against a naive model. `warps`: kernels that count on lanes in step, against a
//! simulation. `parted`: sub-groups whose lanes part, against one. `steps`: loops in steps, against the host. Everything follows from seeds, which are printed; of the first two what fails is shrunk.
//! `cargo xtask random` runs this against an installation.

mod kernels;
mod parted;
mod programs;
mod requirements;
mod steps;
mod tool;
mod warps;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Random programs against what they must do")]
struct Args {
    /// Folder with aspen++ and aspen
    #[arg(long)]
    bin: PathBuf,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Kernels, compiled and run, against an interpreter
    Kernels(kernels::Options),
    /// What kernels need, and the warnings, against a model
    Requirements(requirements::Options),
    /// Kernels written for warps, against a simulation of lanes in step
    Warps(programs::Options),
    /// Sub-groups whose lanes part, against a simulation of lanes that wait for each other
    Parted(programs::Options),
    /// Loops that begin at a work-item's number and go in steps, against the host
    Steps(programs::Options),
}

fn main() -> Result<ExitCode> {
    let args = Args::parse();
    let bin = args.bin.canonicalize().with_context(|| format!("no folder {}", args.bin.display()))?;
    let tools = tool::Tools { bin };
    let (passed, failed) = match &args.what {
        What::Kernels(options) => kernels::run(&tools, options)?,
        What::Requirements(options) => requirements::run(&tools, options)?,
        What::Warps(options) => programs::run(&tools, options, "warps", warps::program)?,
        What::Parted(options) => programs::run(&tools, options, "parted", parted::program)?,
        What::Steps(options) => programs::run(&tools, options, "steps", steps::program)?,
    };
    if passed + failed > 0 {
        println!("{passed} passed, {failed} failed");
    }
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
