//! The pass in LLVM's own opt.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MODULE: &str = "\
target triple = \"spir64-unknown-unknown\"
define spir_func void @foo() !intel_declared_aspects !0 { call spir_func void @boo() ret void }
define spir_func void @boo() { %d = fadd double 1.0, 2.0 ret void }
define spir_kernel void @k() { call spir_func void @foo() ret void }
!0 = !{i32 5}
";

const WARNING: &str = "\
warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  foo()
  boo()
compile with '-g' to get source location
";

/// The library lies beside the folder of the test program.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a file");
    let folder = test.parent().and_then(Path::parent).expect("in target/<profile>/deps");
    folder.join("libaspen_pass.so")
}

struct Said {
    good: bool,
    stdout: String,
    stderr: String,
}

fn opt(folder: &Path, input: &str, options: &[&str]) -> Said {
    let mut command = Command::new("opt-22");
    command.arg(format!("-load-pass-plugin={}", plugin().display())).args(["-passes=sycl-propagate-aspects-usage,verify", "-S"]);
    let output = command.args(options).arg(input).current_dir(folder).output().expect("opt-22 starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    // Debian's opt has no SPIR-V target and says so.
    let stderr =
        text(output.stderr).lines().filter(|line| !line.starts_with("opt-22: WARNING: ")).map(|line| format!("{line}\n")).collect();
    Said { good: output.status.success(), stdout: text(output.stdout), stderr }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("in.ll"), MODULE).expect("writable");
    folder
}

#[test]
fn writes_metadata_warns_and_is_idempotent() {
    let folder = folder();
    let once = opt(folder.path(), "in.ll", &["-o", "-"]);
    assert!(once.good && once.stdout.contains("define spir_kernel void @k() !intel_used_aspects"), "{}{}", once.stdout, once.stderr);
    assert_eq!(once.stderr, WARNING);
    fs::write(folder.path().join("once.ll"), &once.stdout).expect("writable");
    let twice = opt(folder.path(), "once.ll", &["-o", "-"]);
    assert_eq!((twice.stdout.replace("once.ll", "in.ll"), twice.stderr), (once.stdout, once.stderr));
}

#[test]
fn takes_dpcpps_options() {
    let folder = folder();
    let other = opt(folder.path(), "in.ll", &["-sycl-propagate-aspects-usage-dialect=dpcpp", "-o", "-"]);
    assert!(other.stdout.contains("!sycl_used_aspects") && !other.stdout.contains("!intel_used_aspects"), "{}", other.stdout);
    let without = opt(folder.path(), "in.ll", &["-sycl-propagate-aspects-usage-exclude-aspects=fp64,fp16", "-o", "-"]);
    assert!(without.stdout.contains("@boo() {"), "{}", without.stdout);
    let wrong = opt(folder.path(), "in.ll", &["-sycl-propagate-aspects-usage-exclude-aspects=fp46", "-o", "out.ll"]);
    assert!(!wrong.good && wrong.stderr.contains("no aspect 'fp46'"), "{}", wrong.stderr);
}

/// What cannot be read is no empty list.
#[test]
fn malformed_metadata_stops_opt() {
    let folder = folder();
    let text = "define void @f() !intel_used_aspects !0 {\n  ret void\n}\n!0 = !{!\"fp16\"}\n";
    fs::write(folder.path().join("bad.ll"), text).expect("writable");
    let said = opt(folder.path(), "bad.ll", &["-o", "out.ll"]);
    assert!(!said.good && said.stderr.contains("function 'f': '!intel_used_aspects' is not a list"), "{}", said.stderr);
}
