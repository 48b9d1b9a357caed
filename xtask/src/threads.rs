//! `cargo xtask threads`: the runtime's tests of many threads under ThreadSanitizer, the standard library included, since what orders memory
//! there must be seen. Needs the toolchain's sources (`rustup component add rust-src`, done here) and takes some minutes the first time.
//!
//! Stable Rust is told to take the unstable options (`RUSTC_BOOTSTRAP`), for this build only, in a target folder of its own.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::{Tree, find_program, output, run};

/// The target must be named, or build scripts would be instrumented too.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Random graphs of commands; buffers on devices with and without queues of their own.
const TESTS: [&str; 2] = ["random_graphs", "device_copies"];

pub fn threads(tree: &Tree) -> Result<()> {
    let root = output(Command::new("rustc").args(["--print", "sysroot"]))?;
    let sources = std::path::PathBuf::from(String::from_utf8(root.stdout)?.trim()).join("lib/rustlib/src/rust/library/Cargo.toml");
    if !sources.is_file() {
        let rustup = find_program("rustup").context("the standard library's sources are missing, and there is no rustup to bring them")?;
        run(Command::new(rustup).args(["component", "add", "rust-src"]))?;
    }
    let mut test = tree.cargo(&["test", "-Zbuild-std", "--target", TARGET, "-p", "aspen-runtime"]);
    for name in TESTS {
        test.args(["--test", name]);
    }
    test.env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer")
        .env("CARGO_TARGET_DIR", tree.target.join("threads"))
        .env("TSAN_OPTIONS", "halt_on_error=0 exitcode=66");
    let said = output(&mut test).context("ThreadSanitizer found a race, or a test failed")?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
    ensure!(!text.contains("WARNING: ThreadSanitizer"), "ThreadSanitizer found a race:\n{text}");
    let passed = text.lines().filter(|line| line.starts_with("test result: ok")).count();
    ensure!(passed == TESTS.len(), "not all of {TESTS:?} ran:\n{text}");
    println!("ThreadSanitizer: {} clean", TESTS.join(", "));
    Ok(())
}
