//! Everything a developer or CI runs, as `cargo xtask TASK`.

mod bench;
mod book;
mod cases;
mod cts;
mod cuda;
mod demo;
mod devices;
mod environment;
mod generate;
mod install;
mod layers;
mod math;
mod matrix;
mod onedpl;
mod options;
mod package;
mod random;
mod real;
mod reality;
mod s3_server;
mod setup;
mod shell;
mod split_headers;
mod suites;
mod threads;
mod validator;
mod wheels;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Aspen's development tasks")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make the files that follow from the tables in data/
    Generate,
    /// Install the Debian packages that are needed and missing
    Setup,
    /// Build, compile and run examples/tour.cpp, step by step
    Demo,
    /// Run everything CI runs
    Test(suites::Options),
    /// Build and lay out an installation
    Install {
        /// Folder of the installation
        #[arg(long)]
        prefix: PathBuf,
    },
    /// Make the Debian packages and the tarball that users install
    Package(package::Options),
    /// Make the book's pages of docs/ by mdBook, which is installed into target/tools if it is missing
    Docs,
    /// Measure: one line a figure
    Bench {
        /// What to measure
        #[arg(value_enum)]
        name: bench::Name,
        #[command(flatten)]
        real: real::openmp::Options,
    },
    /// List the OpenCL drivers for tests, and how to use them
    Devices {
        /// Bring the missing ones into the cache folder (ASPEN_DRIVERS)
        #[arg(long)]
        install: bool,
        /// Only these
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
    },
    /// Build categories of the Khronos conformance suite from a checkout, and run them on every driver and profile
    Cts(cts::Options),
    /// Measure how exact mathematical functions are, into docs/MATH.md
    Math(math::Options),
    /// Build and run other people's programs from checkouts, and compare what came of them with tests/real.toml
    Real(real::Options),
    /// Random programs against what they must do: `random kernels|requirements|warps|parted|steps --count N --seed S`
    #[command(trailing_var_arg = true)]
    Random {
        /// Given to the generator; `--help` lists them
        #[arg(allow_hyphen_values = true, required = true)]
        arguments: Vec<String>,
    },
    /// Run the runtime's tests of many threads under ThreadSanitizer
    Threads,
    /// Run the acceptance cases beside the repository
    Cases {
        /// Only these, by name; '*' and '?' stand for anything
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
    },
}

fn main() -> ExitCode {
    match run(Args::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    // What tests run is what they were built with; users and benches get the release.
    let profile = match task {
        Task::Test(_) | Task::Threads => shell::Profile::Debug,
        _ => shell::Profile::Release,
    };
    let tree = shell::Tree::find(profile)?;
    if let Some(paths) = std::env::var_os("LD_LIBRARY_PATH") {
        // SAFETY: no other thread runs yet.
        unsafe { std::env::set_var("LD_LIBRARY_PATH", shell::without(&tree.target, &paths)?) };
    }
    match task {
        Task::Generate => generate::run(&tree.root),
        Task::Setup => setup::setup(),
        Task::Demo => demo::demo(&tree),
        Task::Test(options) => suites::test(&tree, &options),
        Task::Install { prefix } => install::install(&tree, &prefix),
        Task::Docs => book::docs(&tree),
        Task::Package(options) => package::package(&tree, &options),
        Task::Bench { name: bench::Name::Real, real } => real::openmp::bench(&tree, &real),
        Task::Bench { name: bench::Name::Links, real } => real::links::bench(&tree, &real),
        Task::Bench { name: bench::Name::Pairs, real } => real::pairs::pairs(&tree, &real),
        Task::Bench { name, real: _ } => bench::bench(&tree, name),
        Task::Devices { install, only } => devices::devices(install, &only),
        Task::Cts(options) => cts::cts(&tree, &options),
        Task::Math(options) => math::math(&tree, &options),
        Task::Real(options) => real::real(&tree, &options),
        Task::Random { arguments } => random::random(&tree, &arguments),
        Task::Threads => threads::threads(&tree),
        Task::Cases { only } => cases::cases(&tree, &only),
    }
}
