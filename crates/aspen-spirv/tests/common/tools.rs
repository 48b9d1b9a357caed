//! SPIRV-Tools as tests use them.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs a tool of SPIRV-Tools over bytes; its output, or its complaints.
pub fn tool(command: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{} (Debian package spirv-tools): {error}", command[0]));
    child.stdin.take().expect("a pipe").write_all(input).expect("the tool reads all");
    let output = child.wait_with_output().expect("the tool ends");
    if output.status.success() { Ok(output.stdout) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
