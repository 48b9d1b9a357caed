//! How the library is linked. It has a name with a version, so that programs find it by `libaspen.so.0` and not by the path they were
//! linked with, and never one whose ABI they do not know. Cargo writes `libaspen.so`; the name that programs ask for is a link beside it,
//! where tests and `target/release` look. And once loaded it stays: a program may close the library that brought it while its threads begin
//! to run.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::{env, fs, io};

/// What programs ask the loader for. The number changes when programs that were linked with the library before no longer run with it.
const NAME: &str = "libaspen.so.0";

fn main() -> io::Result<()> {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{NAME}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    // target/<profile>/build/aspen-capi-<hash>/out
    let folder = Path::new(&out).ancestors().nth(3).ok_or_else(|| io::Error::other("OUT_DIR lies in the profile's folder"))?;
    for folder in [folder.to_owned(), folder.join("deps")] {
        fs::create_dir_all(&folder)?;
        let link = folder.join(NAME);
        match fs::read_link(&link) {
            Ok(to) if to == Path::new("libaspen.so") => continue,
            Ok(_) => fs::remove_file(&link)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // Somebody put a file there.
            Err(_) => fs::remove_file(&link)?,
        }
        symlink("libaspen.so", &link)?;
    }
    Ok(())
}
