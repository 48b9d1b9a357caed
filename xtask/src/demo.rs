//! `cargo xtask demo`: what a newcomer sees. Four steps, each with the command it runs, and none that may fail quietly.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

use crate::setup::setup;
use crate::shell::{Tree, output, path_with};

/// Installs, builds, and shows `examples/tour.cpp`.
pub fn demo(tree: &Tree) -> Result<()> {
    setup()?;
    let bin = tree.build()?;
    let folder = tree.target.join("demo");
    let _ = std::fs::remove_dir_all(&folder); // left by an earlier run, or not there
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    symlink(tree.root.join("examples"), folder.join("examples")).context("cannot link examples/")?;

    let compiled = step(&folder, &bin, "1. compile: one aspect warning is part of the tour", "aspen++ -O2 examples/tour.cpp -o tour")?;
    let said = String::from_utf8_lossy(&compiled.stderr).into_owned();
    ensure!(said.matches("[-Wsycl-aspects]").count() == 1, "the compile should warn once about an aspect");
    step(&folder, &bin, "2. run on the embedded CPU device", "./tour")?;
    let refused = step(&folder, &bin, "3. run as if on a device without double", "ASPEN_DEVICE_PROFILE=intel_gpu_dg1 ./tour")?;
    let said = String::from_utf8_lossy(&[&refused.stdout[..], &refused.stderr[..]].concat()).into_owned();
    ensure!(said.contains("cannot run on") && said.contains("needs aspect fp64"), "the double kernel should have been refused");
    step(&folder, &bin, "4. look into the program", "aspen inspect tour")?;
    println!("\nThe program is {}.", folder.join("tour").display());
    Ok(())
}

/// Shows and runs one command line of words without quotes; what it says is shown as well.
fn step(folder: &Path, bin: &Path, title: &str, line: &str) -> Result<Output> {
    println!("\n{title}\n$ {line}");
    let mut words = line.split(' ').peekable();
    let mut variables = Vec::new();
    while let Some((name, value)) = words.peek().and_then(|word| word.split_once('=')) {
        variables.push((name, value));
        words.next();
    }
    let program = words.next().context("a command line has a command")?;
    let program = if program.contains('/') { folder.join(program) } else { bin.join(program) };
    let mut command = Command::new(program);
    command.args(words).envs(variables).current_dir(folder).env("PATH", path_with(bin)?);
    match output(&mut command) {
        Ok(output) => {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            Ok(output)
        }
        Err(error) => bail!("{error:#}\nthe demo stops at step {title}"),
    }
}
