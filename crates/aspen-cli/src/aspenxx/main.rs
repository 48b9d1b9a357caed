//! The binary `aspen++` (cargo calls it `aspenxx`, see build.rs); everything happens in the driver.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(aspen_driver::main(std::env::args_os().skip(1)))
}
