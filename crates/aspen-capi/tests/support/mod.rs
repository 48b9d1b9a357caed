//! Builds what the ABI tests run: device images from `tests/abi/kernels.c`, and the program from the other files there.

#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use aspen_image::image::{ImageBuilder, Kernel, KernelInfo};
use aspen_image::offload::ImageKind;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder for this test binary.
pub fn scratch() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let name = env::current_exe().expect("a test is a program").file_name().expect("with a name").to_owned();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("a folder for the test");
        folder
    })
}

/// The libaspen.so that cargo built for this test.
pub fn library() -> PathBuf {
    let deps = env::current_exe().expect("a test is a program").parent().expect("in a folder").to_owned();
    let library = deps.join("libaspen.so");
    assert!(library.exists(), "cargo puts the cdylib beside the tests: {}", library.display());
    library
}

/// Runs a tool that must succeed without a word.
pub fn quiet(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let words = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && words.is_empty(), "{command:?}: {}\n{words}", output.status);
}

/// The test program, compiled by that compiler.
pub fn program(compiler: &str) -> PathBuf {
    let library = library();
    let out = scratch().join(format!("program-{compiler}"));
    let abi = root().join("tests/abi");
    let mut command = Command::new(compiler);
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-O1", "-g", "-pthread", "-I"]).arg(root().join("include"));
    command.args(["harness.c", "basic.c", "graph.c", "devices.c"].map(|file| abi.join(file)));
    let folder = library.parent().expect("in a folder");
    command.arg("-o").arg(&out).arg(&library).arg(format!("-Wl,-rpath,{}", folder.display()));
    quiet(&mut command);
    out
}

/// The program made by clang, once a test binary.
pub fn clang_program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| program("clang-22"))
}

/// A shared object for native_cpu with every kernel of kernels.c, `suffix` at each name.
pub fn shared_object(suffix: &str) -> Vec<u8> {
    shared_object_of(&root().join("tests/abi/kernels.c"), suffix)
}

/// A shared object for native_cpu made of that source.
pub fn shared_object_of(source: &Path, suffix: &str) -> Vec<u8> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let out = scratch().join(format!("kernels{}.so", COUNT.fetch_add(1, Ordering::Relaxed)));
    let mut command = Command::new("clang-22");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-I"]);
    command.arg(root().join("include")).arg(format!("-DSUFFIX={suffix}")).arg(source).arg("-o").arg(&out);
    quiet(&mut command);
    fs::read(out).expect("the compiler wrote it")
}

pub const KERNELS: [&str; 11] = ["saxpy", "step", "gate", "which", "reduce", "exchange", "ids", "diverge", "hierarchy", "stack", "missing"];

pub fn symbol(name: &str) -> String {
    format!("_ZTS{}{name}", name.len())
}

/// A kernel that needs nothing itself; the image's set is the authority.
pub fn kernel(symbol: &str, name: &str) -> Kernel {
    Kernel { symbol: symbol.to_owned(), info: KernelInfo { name: name.to_owned(), requirements: Default::default() } }
}

pub fn image(name: &str) -> ImageBuilder {
    ImageBuilder::new(ImageKind::Object, "x86_64-unknown-linux-gnu", "native_cpu", name)
}

/// The image with all kernels of kernels.c and no requirements.
pub fn plain_image() -> Vec<u8> {
    let builder = KERNELS.iter().fold(image("kernels_0"), |builder, name| builder.kernel(kernel(&symbol(name), name), Vec::new()));
    builder.to_bytes(&shared_object("")).expect("a plain image can be written")
}

/// Writes images to a file of their own.
pub fn module(name: &str, images: &[Vec<u8>]) -> PathBuf {
    let path = scratch().join(name);
    fs::write(&path, images.concat()).expect("the scratch folder is writable");
    path
}

/// A run of the test program with a clean environment.
pub fn command(program: &Path, module: &Path, scenario: &[&str]) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("ASPEN_") {
            command.env_remove(name);
        }
    }
    // Cargo puts its folders there, which may hold a libaspen.so of an earlier build.
    command.env_remove("LD_LIBRARY_PATH");
    command.arg(module).args(scenario);
    command
}

/// Runs a scenario that must pass; returns what it printed before.
pub fn passes(command: &mut Command) -> String {
    let output: Output = command.output().expect("the program runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.ends_with("passed\n"), "{command:?}: {}\n{out}{err}", output.status);
    format!("{out}{err}")
}
