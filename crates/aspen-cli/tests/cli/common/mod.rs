//! A fresh folder, a clean environment, and an installed prefix made of what cargo has built: commands run as a user runs them.

pub mod rules;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// `bin/ lib/ include/`, made once for each test program.
pub fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("prefix-{}", std::process::id()));
        make_prefix(&root, true);
        root
    })
}

/// Lays out a prefix; without the plugin if that is what a test is about.
pub fn make_prefix(root: &Path, plugin: bool) {
    let built = Path::new(env!("CARGO_BIN_EXE_aspenxx"));
    let libraries = built.parent().expect("a file lies in a folder");
    for folder in ["bin", "lib/aspen"] {
        fs::create_dir_all(root.join(folder)).expect("writable");
    }
    let copy = |from: &Path, to: &str| {
        let what = from.display();
        fs::copy(from, root.join(to)).unwrap_or_else(|error| panic!("{what}: {error}; run `cargo build --workspace` first"));
    };
    copy(built, "bin/aspen++");
    symlink("aspen++", root.join("bin/aspen")).expect("a fresh folder");
    copy(Path::new(env!("CARGO_BIN_EXE_aspen-jobs")), "lib/aspen/aspen");
    let stores = libraries.join("aspen-cache-remote");
    if stores.is_file() {
        copy(&stores, "bin/aspen-cache-remote");
    }
    copy(&libraries.join("libaspen.so"), "lib/libaspen.so.0");
    symlink("libaspen.so.0", root.join("lib/libaspen.so")).expect("a fresh folder");
    if plugin {
        copy(&libraries.join("libaspen_clang.so"), "lib/libaspen_clang.so");
    }
    symlink(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include"), root.join("include")).expect("a fresh folder");
}

/// A folder to work in.
pub struct Session {
    folder: TempDir,
    /// Further variables.
    pub environment: Vec<(&'static str, String)>,
    /// Where the programs are.
    pub bin: PathBuf,
}

/// How a command ended and what it said.
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Session {
    pub fn new(files: &[(&str, &str)]) -> Session {
        let session =
            Session { folder: tempfile::tempdir().expect("a temporary folder"), environment: Vec::new(), bin: prefix().join("bin") };
        fs::create_dir(session.path(".tmp")).expect("writable");
        for (name, text) in files {
            fs::write(session.path(name), text).expect("writable");
        }
        session
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Runs a shell line.
    pub fn run(&self, line: &str) -> Said {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.bin.display());
        let output: Output = Command::new("/bin/sh")
            .args(["-c", line])
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .env("TMPDIR", self.path(".tmp"))
            // As for users, SYCL's header is read as text at first only.
            .env("ASPEN_CACHE_DIR", prefix().join("cache"))
            .env("ASPEN_CACHE_SIZE", "32G")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .output()
            .expect("sh starts");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let said = Said { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!said.stderr.contains("panicked"), "{line}: {}", said.stderr);
        said
    }

    /// Must succeed; returns what it says.
    #[track_caller]
    pub fn ok(&self, line: &str) -> Said {
        let said = self.run(line);
        assert_eq!(said.code, Some(0), "{line}: {}{}", said.stdout, said.stderr);
        self.nothing_is_left_behind(line);
        said
    }

    /// Must fail with that code and say all of that.
    #[track_caller]
    pub fn bad(&self, code: i32, line: &str, needles: &[&str]) -> Said {
        let said = self.run(line);
        assert_eq!(said.code, Some(code), "{line}: {}{}", said.stdout, said.stderr);
        for needle in needles {
            assert!(said.stderr.contains(needle), "{line}: lacks {needle:?}: {}", said.stderr);
        }
        self.nothing_is_left_behind(line);
        said
    }

    #[track_caller]
    fn nothing_is_left_behind(&self, line: &str) {
        let left = |folder: PathBuf| -> Vec<String> {
            let entries =
                fs::read_dir(folder).expect("readable").map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned());
            entries.filter(|name| name.contains("aspen-")).collect()
        };
        let all: Vec<String> = left(self.path(".tmp")).into_iter().chain(left(self.path(""))).collect();
        assert!(all.is_empty(), "{line} leaves {all:?}");
    }

    /// `aspen … --format json`, read by a reader that is not ours.
    #[track_caller]
    pub fn json(&self, line: &str) -> serde_json::Value {
        serde_json::from_str(&self.ok(&format!("{line} --format json")).stdout).expect("one JSON document")
    }
}

/// A program with one kernel that needs nothing and one that needs fp64.
pub const TWO_KERNELS: &str = "\
#include <sycl/sycl.hpp>
#include <cstdio>
class plain; class dbl;
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(2, q);
  q.single_task<plain>([=]() { p[0] = 7; }).wait();
  try {
    q.single_task<dbl>([=]() { double d = p[0]; p[1] = (int)(d / 2); }).wait();
    std::printf(\"%d %d\\n\", p[0], p[1]);
  } catch (const sycl::exception &e) { std::printf(\"%d\\n%s\\n\", p[0], e.what()); }
}
";
