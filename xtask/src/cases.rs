//! `cargo xtask cases`: the acceptance cases beside the repository, if they are there, against a fresh installation.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::install;
use crate::shell::{Tree, find_program};
use crate::suites::tally_line;

/// What has to hold today.
const TODAY: [&str; 24] = [
    "fe-positions",
    "fe-template-args",
    "fe-partial-specialisation",
    "an-third-call",
    "an-warning-exact",
    "an-silent-undecorated",
    "sp-key",
    "sp-modes",
    "sp-offload-tools",
    "ps-executable",
    "ps-seed-bytes",
    "ps-aspect-filter",
    "bad-bitcode",
    "rt-every-unmet-need",
    "rt-one-runs-one-refused",
    "rt-numerics",
    "rt-profile",
    "rt-work-group-size",
    "tg-database",
    "tg-yaml",
    "tg-unknown",
    "tg-macros-two-gpus",
    "tg-device-if",
    "tg-aot-ocloc",
];

/// Runs the cases of that name, or all that have to hold today.
pub fn cases(tree: &Tree, only: &[String]) -> Result<()> {
    let runner = tree.root.join("../shared/cases/run.py");
    if !runner.is_file() {
        println!("skipped: the acceptance cases are not beside this repository (../shared/cases)");
        return Ok(());
    }
    let Some(python) = find_program("python3") else {
        println!("skipped: the acceptance cases are run by python3, which is not installed");
        return Ok(());
    };
    let prefix = tree.target.join("prefix");
    install::install(tree, &prefix)?;
    let names: Vec<&str> = if only.is_empty() { TODAY.to_vec() } else { only.iter().map(String::as_str).collect() };
    let (mut passed, mut failed) = (0, 0);
    for name in names {
        let mut command = Command::new(&python);
        command.arg(&runner).arg("--bin").arg(prefix.join("bin")).args(["--only", name]);
        let output = command.stderr(Stdio::inherit()).output().context("cannot start python3")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // The runner's own tally would repeat itself after every case.
        for line in text.lines().filter(|line| tally_line(line).is_none()) {
            println!("{line}");
        }
        if output.status.success() { passed += 1 } else { failed += 1 }
    }
    println!("{passed} passed, {failed} failed");
    ensure!(failed == 0, "not all cases passed");
    Ok(())
}
