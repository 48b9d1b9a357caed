//! cargo cannot name a binary `aspen++` (the name becomes a crate's), so `aspenxx` gets symbolic links beside it: `aspen++`, and `aspen`, which
//! is the same program. Both thus work straight from `target/release`, as DESIGN §2 wants.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    // target/<profile>/build/aspen-cli-<hash>/out
    let folder = Path::new(&out).ancestors().nth(3).ok_or_else(|| io::Error::other("OUT_DIR lies in the profile's folder"))?;
    for name in ["aspen++", "aspen"] {
        let link = folder.join(name);
        if fs::read_link(&link).is_ok_and(|to| to == Path::new("aspenxx")) {
            continue;
        }
        // Also what earlier builds made by that name.
        if link.symlink_metadata().is_ok() {
            fs::remove_file(&link)?;
        }
        symlink("aspenxx", &link)?;
    }
    Ok(())
}
