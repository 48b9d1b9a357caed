//! `cargo xtask cases`: the acceptance cases beside the repository, if they are there, against a fresh installation.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::install;
use crate::shell::{Tree, find_program, run};

/// Runs the cases of these names, or all.
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
    let bin = install::made(tree)?;
    let all = ["*".to_owned()];
    let mut failed = Vec::new();
    for name in if only.is_empty() { &all } else { only } {
        let mut command = Command::new(&python);
        command.arg(&runner).arg("--bin").arg(&bin).args(["--only", name]);
        if let Err(error) = run(&mut command) {
            failed.push(error.to_string());
        }
    }
    ensure!(failed.is_empty(), "not all cases passed:\n{}", failed.join("\n"));
    Ok(())
}
