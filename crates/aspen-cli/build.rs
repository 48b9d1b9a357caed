//! cargo cannot name a binary `aspen++` (the name becomes a crate's), so `aspenxx` gets a symbolic link of that name beside it.
//! `aspen++` thus works straight from `target/release`, as DESIGN §2 wants.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    // target/<profile>/build/aspen-cli-<hash>/out
    let folder = Path::new(&out).ancestors().nth(3).ok_or_else(|| io::Error::other("OUT_DIR lies in the profile's folder"))?;
    let link = folder.join("aspen++");
    match fs::read_link(&link) {
        Ok(to) if to == Path::new("aspenxx") => Ok(()),
        Ok(_) => fs::remove_file(&link).and_then(|()| symlink("aspenxx", &link)),
        Err(_) => symlink("aspenxx", &link),
    }
}
