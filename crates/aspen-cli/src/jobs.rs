//! `aspen-jobs`: the commands of `aspen` that graphs run, without libLLVM. Installed as `lib/aspen/aspen`, so that commands read the same.

use std::process::ExitCode;

use clap::Parser;

/// Runs what graphs for ninja consist of; `aspen` has these commands too
#[derive(Parser)]
#[command(name = "aspen", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: aspen_cli::aot::Command,
}

fn main() -> ExitCode {
    aspen_cli::end(aspen_cli::parse::<Arguments>().and_then(|arguments| arguments.command.run()))
}
