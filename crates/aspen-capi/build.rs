//! How the library is linked. It has a name, so that programs find it by `libaspen.so` and not by the path they were linked with. And once
//! loaded it stays: a program may close the library that brought it while its threads begin to run.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libaspen.so");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
