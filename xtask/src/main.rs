//! Everything a developer or CI runs, as `cargo xtask TASK`.

mod generate;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Aspen's development tasks")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Make the files that follow from data/aspects.toml
    Generate,
}

fn main() -> Result<()> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the repository")?;
    match Args::parse().task {
        Task::Generate => generate::run(root),
    }
}
