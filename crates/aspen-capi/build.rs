//! Names the library, so that programs find it by `libaspen.so` and not by the path they were linked with.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libaspen.so");
    println!("cargo:rerun-if-changed=build.rs");
}
