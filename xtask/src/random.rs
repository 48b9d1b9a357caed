//! `cargo xtask random`: random programs by hand, and the few of them that every test run has. The generators are `tests/random`.

use std::process::Command;

use anyhow::Result;

use crate::install;
use crate::shell::{Tree, run};

/// What `cargo xtask test` runs: fixed seeds, so that a failure is the change's and not the day's. Of the configurations each program gets
/// some, in turn, so that together they get all.
pub const OF_THE_SUITE: [&[&str]; 5] = [
    &["kernels", "--count", "20", "--seed", "1", "--batch", "2", "--spread", "1"],
    &["requirements", "--count", "20", "--seed", "1", "--batch", "2", "--spread", "1"],
    &["warps", "--count", "1"],
    &["parted", "--count", "1"],
    &["steps", "--count", "1"],
];

/// The generators, against an installation of this tree.
pub fn command(tree: &Tree, arguments: &[&str]) -> Result<Command> {
    let bin = install::made(tree)?;
    let mut command = tree.tool("aspen-random")?;
    command.arg("--bin").arg(bin).args(arguments);
    Ok(command)
}

pub fn random(tree: &Tree, arguments: &[String]) -> Result<()> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(&mut command(tree, &arguments)?)
}
