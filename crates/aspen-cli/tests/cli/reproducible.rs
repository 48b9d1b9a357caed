//! The same input and options are the same bytes: in two folders, under two installations, with `-ffile-prefix-map` where paths are written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Session, make_prefix};

/// What keeps a place or a path somewhere: unnamed kernels, names of internal linkage, a chain through a header, attributes, exported
/// functions, device globals, `__FILE__`, `assert`, `if_device_has`, and a header of the installation (`vec`).
const SOURCE: &str = r#"#include "part.hpp"
#include <cassert>
#include <cstdio>
namespace {
class inner;
int internal(int x) { return x + 1; }
sycl::ext::oneapi::experimental::device_global<int> global;
}
SYCL_EXTERNAL int exported(int x) { return internal(x) * 2; }
[[sycl::device_has(sycl::aspect::fp64)]] double declared(double x) { return third(x); }
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(4, q);
  q.single_task<inner>([=] { p[0] = exported(3); }).wait();
  q.single_task([=] { double d = declared(p[0]); p[1] = int(twice(d)); global = 3; assert(p[1] != 1000); }).wait();
  q.parallel_for(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8)]] {
    sycl::vec<double, 2> v{1.0, 2.0};
    p[2] = int(v.x() + v.y());
  }).wait();
  std::printf("%s %d %d %d\n", __FILE__, p[0], p[1], p[2]);
}
"#;
const HEADER: &str = r#"#pragma once
#include <sycl/sycl.hpp>
template <typename T> T twice(T x) { return x * T(2); }
inline double third(double x) { return x / 3; }
"#;

/// What `line` leaves in `files`, run in a folder of that name which holds the source.
fn made(session: &Session, folder: &str, line: &str, files: &[&str]) -> Vec<Vec<u8>> {
    let folder = session.path(folder);
    fs::create_dir_all(folder.join("include")).expect("writable");
    fs::create_dir_all(folder.join("src")).expect("writable");
    fs::write(folder.join("src/p.cpp"), SOURCE).expect("writable");
    fs::write(folder.join("include/part.hpp"), HEADER).expect("writable");
    // The second folder has temporary files of its own.
    let own = if folder.ends_with("one") { "" } else { "export TMPDIR=$PWD/src; " };
    session.ok(&format!("cd '{}' && {own}{line}", folder.display()));
    files.iter().map(|file| fs::read(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))).collect()
}

fn holds(bytes: &[u8], path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    bytes.windows(path.len()).any(|window| window == path)
}

/// Two folders of different depth and length, and a folder for temporary files in each.
const FOLDERS: [&str; 2] = ["one", "an/other one"];

#[track_caller]
fn same(session: &Session, line: &str, files: &[&str]) -> Vec<Vec<u8>> {
    let [first, second] = FOLDERS.map(|folder| made(session, folder, line, files));
    for ((first, second), file) in first.iter().zip(&second).zip(files) {
        assert!(first == second, "{file} of `{line}` differs between two folders");
        for folder in FOLDERS {
            assert!(!holds(first, &session.path(folder)), "{file} of `{line}` holds the path of its folder");
        }
    }
    first
}

const TARGETS: &str = "-fsycl-targets=native_cpu,spir64,nvidia_gpu_sm_80";

#[test]
fn deep_objects_are_the_same_in_two_folders() {
    let session = Session::new(&[]);
    // By relative paths there is nothing to map.
    same(&session, &format!("aspen++ -O2 {TARGETS} -Iinclude -c src/p.cpp -o p.o"), &["p.o"]);
    // As CMake calls compilers.
    let absolute = format!("aspen++ -g -O1 {TARGETS} -ffile-prefix-map=\"$PWD\"=/src -I\"$PWD/include\" -c \"$PWD/src/p.cpp\" -o p.o");
    let object = same(&session, &absolute, &["p.o"]).remove(0);
    assert!(holds(&object, Path::new("/src/src/p.cpp")) && holds(&object, Path::new("/src/include/part.hpp")));
    // A preprocessed text names its source, too.
    let line = "aspen++ -E -ffile-prefix-map=\"$PWD\"=. -I\"$PWD/include\" \"$PWD/src/p.cpp\" -o p.ii && aspen++ -ffile-prefix-map=\"$PWD\"=. -c p.ii -o p.o";
    same(&session, line, &["p.o"]);
}

#[test]
fn executables_are_the_same_in_two_folders() {
    let session = Session::new(&[]);
    let line = "aspen++ -O2 -ffile-prefix-map=\"$PWD\"=. -I\"$PWD/include\" \"$PWD/src/p.cpp\" -o p.out";
    same(&session, line, &["p.out"]);
    let said = session.ok("cd one && ./p.out && aspen explain p.out 'lambda at ./src/p.cpp:15:17'");
    assert!(said.stdout.starts_with("src/p.cpp 8 5 3\n") && said.stdout.contains("  ./src/p.cpp:15:30: "), "{}", said.stdout);
}

/// An installation is elsewhere on every machine: its headers' places are mapped as the user's are.
#[test]
fn deep_objects_are_the_same_under_two_installations() {
    let mut session = Session::new(&[]);
    let other: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("a-longer-prefix-{}", std::process::id()));
    make_prefix(&other, true);
    let mut objects = Vec::new();
    for prefix in [crate::common::prefix().to_owned(), other.clone()] {
        session.bin = prefix.join("bin");
        let line = format!(
            "aspen++ -g {TARGETS} -ffile-prefix-map=\"$PWD\"=. -ffile-prefix-map={}=/usr -Iinclude -c src/p.cpp -o p.o",
            prefix.display()
        );
        let object = made(&session, "one", &line, &["p.o"]).remove(0);
        assert!(!holds(&object, &prefix), "the object holds the installation's path");
        objects.push(object);
    }
    assert!(objects[0] == objects[1], "two installations make different objects");
    fs::remove_dir_all(other).expect("ours");
}

/// Diagnostics name files as they are: people and editors open them.
#[test]
fn diagnostics_name_the_files_of_this_machine() {
    let session = Session::new(&[(
        "p.cpp",
        "#include <sycl/sycl.hpp>\n[[sycl::device_has()]] int f(double x) { return int(x / 3); }\nint main() {\n  sycl::queue().single_task([=] { (void)f(2); });\n}\n",
    )]);
    let said = session.ok("aspen++ -ffile-prefix-map=\"$PWD\"=/elsewhere -c \"$PWD/p.cpp\" -o p.o");
    let place = format!("{}:2:", session.path("p.cpp").display());
    assert!(said.stderr.contains(&place), "{}", said.stderr);
}
