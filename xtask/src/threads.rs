//! `cargo xtask threads`: what happens on many threads, under ThreadSanitizer: the runtime's own tests, and the C++ programs of
//! `tests/threads` on a `libaspen.so` that is watched too. The standard library is included, since what orders memory there must be seen.
//! Needs the toolchain's sources (`rustup component add rust-src`, done here) and takes some minutes the first time.
//!
//! Stable Rust is told to take the unstable options (`RUSTC_BOOTSTRAP`), for this build only, in a target folder of its own. A library links
//! no sanitizer: its `__tsan_*` functions are those of the program, from clang's runtime, and both compilers are of LLVM 22.
//!
//! Not watched: device code (kernels' loads and stores; that their chunks are in order is what the runtime's tests watch), and OpenCL
//! drivers, which are not built for it and of which Intel's cannot be loaded into such a program. Work-items that meet at barriers switch
//! stacks inside watched functions without saying so: reports from there may show frames of another work-item.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell::{Tree, find_program, output, run};

/// What programs are told: a report is a failure, and memory that nobody has is null, as it is otherwise.
const OPTIONS: &str = "exitcode=66 allocator_may_return_null=1";

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
    runtime_tests(tree)?;
    programs(tree)
}

/// A cargo whose products are watched.
fn watched(tree: &Tree, task: &[&str]) -> Command {
    let mut cargo = tree.cargo(task);
    cargo
        .args(["-Zbuild-std", "--target", TARGET])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("CARGO_TARGET_DIR", tree.target.join("threads"))
        .env("TSAN_OPTIONS", OPTIONS);
    cargo
}

fn runtime_tests(tree: &Tree) -> Result<()> {
    let mut test = watched(tree, &["test", "-p", "aspen-runtime"]);
    for name in TESTS {
        test.args(["--test", name]);
    }
    let said = output(&mut test).context("ThreadSanitizer found a race, or a test failed")?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
    ensure!(!text.contains("WARNING: ThreadSanitizer"), "ThreadSanitizer found a race:\n{text}");
    let passed = text.lines().filter(|line| line.starts_with("test result: ok")).count();
    ensure!(passed == TESTS.len(), "not all of {TESTS:?} ran:\n{text}");
    println!("ThreadSanitizer: {} clean", TESTS.join(", "));
    Ok(())
}

/// The programs of `tests/threads`. One of them has a race, which must be found.
fn programs(tree: &Tree) -> Result<()> {
    run(&mut watched(tree, &["build", "-p", "aspen-capi"]))?;
    let library = tree.target.join("threads").join(TARGET).join("debug");
    let bin = tree.build()?;
    let mut runner = tree.tool("aspen-e2e")?;
    runner.args(["--tests", "tests/threads", "--bin"]).arg(bin);
    // Programs look for libaspen.so there before they look where they were linked.
    for (name, value) in
        [("LD_LIBRARY_PATH", &*library.to_string_lossy()), ("ASPEN_DEVICE_SELECTOR", "native_cpu"), ("TSAN_OPTIONS", OPTIONS)]
    {
        runner.arg("--env").arg(format!("{name}={value}"));
    }
    run(&mut runner).context("ThreadSanitizer found a race, or a program failed")
}
