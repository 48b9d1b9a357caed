//! The store behind the cache that machines share: what one machine compiled another takes, what cannot be trusted is made anew, and whatever
//! is wrong with the store costs two seconds at most and never a build. A machine is a folder with a cache, a compiler and devices of its own;
//! compilers are scripts that note their runs. Redis, S3 and WebDAV: `tests/services`.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::common::{Said, Session};

/// Called as ocloc is: notes the run, and makes code of every input.
const FAKE: &str = r#"#!/bin/sh
here=$(dirname "$0")
while [ $# -gt 0 ]; do case "$1" in -file) in=$2; shift;; -output) out=$2; shift;; -device) device=$2; shift;; esac; shift; done
echo "$device" >> "$here/runs"
(echo "code for $device"; cat "$in") > "$out"
"#;

const DEVICES: &str = "\
a: {aspects: [fp64, gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device a}
b: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device b}
";

const SOURCE: &str = "\
#include <sycl/sycl.hpp>
template <int N> class kernel;
template <int N> void launch(sycl::queue &q, int *p) {
  q.single_task<kernel<N>>([=] { p[N] = p[N] * N + 1; });
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(8, q);
  launch<0>(q, p);
  launch<1>(q, p);
  launch<2>(q, p);
}
";

/// Six jobs: three kernels for two devices.
const JOBS: usize = 6;
const LINK: &str = "aspen++ -fsycl-targets=a,b -fsycl-device-code-split=per_kernel ../p.o -o a.out -fsycl-device-config-file=own.yaml";

fn session() -> Session {
    let session = Session::new(&[("p.cpp", SOURCE), ("own.yaml", DEVICES), ("key", "a secret of sixteen and more letters\n")]);
    fs::set_permissions(session.path("key"), fs::Permissions::from_mode(0o600)).expect("ours");
    let program = session.bin.join("aspen-cache-remote");
    assert!(program.is_file(), "no {}: run `cargo build --workspace` first", program.display());
    for name in ["one", "two", "three"] {
        fs::create_dir(session.path(name)).expect("writable");
        fs::write(session.path(name).join("fake"), FAKE).expect("writable");
        fs::write(session.path(name).join("own.yaml"), DEVICES).expect("writable");
        fs::set_permissions(session.path(name).join("fake"), fs::Permissions::from_mode(0o755)).expect("ours");
    }
    session.ok("cd one && aspen++ -fsycl-targets=a,b -fsycl-device-config-file=own.yaml -c ../p.cpp -o ../p.o");
    session
}

/// Links on a machine, with these variables, from an empty cache of its own. Returns how often the compiler ran, and what was said.
#[track_caller]
fn link(session: &Session, machine: &str, url: &str, variables: &str) -> (usize, Said) {
    let cache = session.path(machine).join("cache");
    fs::remove_dir_all(&cache).ok();
    link_again(session, machine, url, variables)
}

#[track_caller]
fn link_again(session: &Session, machine: &str, url: &str, variables: &str) -> (usize, Said) {
    let said = session.ok(&format!("cd {machine} && ASPEN_CACHE_DIR=$PWD/cache ASPEN_CACHE_REMOTE='{url}' {variables} {LINK}"));
    let runs = session.path(machine).join("runs");
    let count = fs::read_to_string(&runs).unwrap_or_default().lines().count();
    fs::remove_file(runs).ok();
    (count, said)
}

fn store(session: &Session) -> String {
    format!("file://{}", session.path("store").display())
}

fn entries(session: &Session) -> Vec<std::path::PathBuf> {
    let found = fs::read_dir(session.path("store/ahead-of-time")).expect("a store");
    found.map(|entry| entry.expect("readable").path()).collect()
}

#[test]
fn deep_what_one_machine_compiled_another_takes() {
    let session = session();
    let url = store(&session);
    for (machine, url, variables, expected) in [
        ("one", "", "", JOBS),
        ("one", &*url, "", JOBS),
        ("two", &url, "", 0),
        ("two", &url, "ASPEN_CACHE=0", JOBS),
        ("three", &url, "", 0),
    ] {
        let (runs, said) = link(&session, machine, url, variables);
        assert_eq!((runs, &*said.stderr), (expected, ""), "{machine} {url} {variables}");
        session.ok(&format!("cmp one/a.out {machine}/a.out"));
    }
    // What came from elsewhere is here now.
    fs::rename(session.path("store"), session.path("away")).expect("ours");
    assert_eq!(link_again(&session, "three", &url, "").0, 0);
    fs::rename(session.path("away"), session.path("store")).expect("ours");
    // Another compiler by the same name has other results.
    fs::write(session.path("three/fake"), format!("{FAKE}# of another release\n")).expect("ours");
    assert_eq!(link(&session, "three", &url, "").0, JOBS);
    assert_eq!(entries(&session).len(), 2 * JOBS);
    // Behind a launcher the machine's cache is asked, and so is what is behind it.
    let (runs, said) = link(&session, "two", &url, "ASPEN_AOT_LAUNCHER='env X=1'");
    assert_eq!(runs, 0, "{}", said.stderr);
}

#[test]
fn deep_what_cannot_be_trusted_is_made_anew() {
    let session = session();
    let url = store(&session);
    assert_eq!(link(&session, "one", &url, "").0, JOBS);
    let damages: [fn(&mut Vec<u8>); 4] = [
        |bytes| *bytes.last_mut().expect("long") ^= 1,
        |bytes| bytes.truncate(20),
        |bytes| bytes.clear(),
        |bytes| *bytes = b"something that somebody else put there, longer than what stands before an entry".to_vec(),
    ];
    for (number, damage) in damages.iter().enumerate() {
        for entry in entries(&session) {
            let mut bytes = fs::read(&entry).expect("readable");
            damage(&mut bytes);
            fs::write(&entry, bytes).expect("writable");
        }
        let (runs, said) = link(&session, "two", &url, "");
        assert_eq!((runs, said.stderr.matches("is made anew").count()), (JOBS, 1), "{number}: {}", said.stderr);
        session.ok("cmp one/a.out two/a.out");
        // And right again for the next.
        assert_eq!(link(&session, "three", &url, "").0, 0, "{number}");
    }
    // Entries under each other's names.
    let all = entries(&session);
    let swapped = fs::read(&all[0]).expect("readable");
    for entry in &all[1..] {
        fs::write(entry, &swapped).expect("writable");
    }
    let (runs, said) = link(&session, "two", &url, "");
    assert!(runs == JOBS - 1 && said.stderr.contains("is not what was kept there; it is made anew"), "{runs} {}", said.stderr);
}

#[test]
fn deep_secrets() {
    let session = session();
    let url = store(&session);
    let other = session.path("other");
    fs::write(&other, "another secret, as long as that").expect("writable");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o600)).expect("ours");
    let key = |name: &str| format!("ASPEN_CACHE_KEY_FILE={}", session.path(name).display());
    for (machine, variables, expected, words) in [
        ("one", key("key"), JOBS, ""),
        ("two", key("key"), 0, ""),
        ("two", String::new(), JOBS, "was made with a secret, and ASPEN_CACHE_KEY_FILE names none"),
        ("two", key("key"), JOBS, "was made without a secret, and ASPEN_CACHE_KEY_FILE names one"),
        ("two", key("other"), JOBS, "was made with another secret than that of ASPEN_CACHE_KEY_FILE"),
        ("two", key("none"), JOBS, "none: No such file or directory (os error 2); this process goes on without it"),
        ("two", key("p.cpp"), JOBS, "everybody may use it (mode 644), so it is no secret: chmod o="),
    ] {
        let (runs, said) = link(&session, machine, &url, &variables);
        assert!(runs == expected && said.stderr.contains(words), "{variables}: {runs} {}", said.stderr);
        assert_eq!(said.stderr.lines().count(), usize::from(!words.is_empty()), "{}", said.stderr);
    }
}

#[test]
fn deep_what_is_wrong_with_the_store_costs_no_build() {
    let session = session();
    fs::write(session.path("file"), "").expect("writable");
    let begin = Instant::now();
    assert_eq!(link(&session, "one", "", "").0, JOBS);
    let usual = begin.elapsed();
    // It takes connections, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    let file = format!("file://{}", session.path("file").display());
    for (url, words) in [
        ("nonsense", "nonsense: it is no URL"),
        ("ftp://host/", "'ftp' is no store that is known; write file:///FOLDER, redis://HOST, s3://"),
        ("file://folder/x", "with three slashes"),
        (&file, "Not a directory"),
        ("file:///proc/none", "No such file or directory"),
        ("redis://:password@127.0.0.1:1/", "redis://…@127.0.0.1:1/: nobody answers: Connection refused"),
        ("webdav://127.0.0.1:1/x", "onnect"),
        ("s3://bucket/x?endpoint=http://127.0.0.1:1", "onnect"),
        (&format!("redis://127.0.0.1:{port}/"), "nobody answers"),
        (&format!("webdav://127.0.0.1:{port}/"), "takes longer than the 1.8 seconds"),
        (&format!("s3://bucket/?endpoint=http://127.0.0.1:{port}"), "takes longer than the 1.8 seconds"),
    ] {
        let begin = Instant::now();
        let (runs, said) = link(&session, "two", url, "AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=y");
        let took = begin.elapsed();
        assert!(runs == JOBS && said.stderr.contains(words), "{url}: {runs} {}", said.stderr);
        assert_eq!(said.stderr.lines().count(), 1, "{}", said.stderr);
        println!("{url}: {:.2} s more", took.saturating_sub(usual).as_secs_f32());
        // Nobody waits for ever; the machine may have other things to do as well. What it costs is printed, and measured in docs/SCALE.md.
        assert!(took < usual * 3 + Duration::from_secs(15), "{url}: {took:?}, without {usual:?}");
        session.ok("cmp one/a.out two/a.out");
    }
    // The program is not there.
    let lost = session.ok(&format!(
        "cp -r $(dirname $(command -v aspen++))/.. tool && rm tool/bin/aspen-cache-remote && cd two && rm -rf cache && \
         PATH=/usr/bin:/bin ASPEN_CACHE_DIR=$PWD/cache ASPEN_CACHE_REMOTE=file:///proc/none ../tool/bin/{LINK}"
    ));
    assert!(lost.stderr.contains("there is no program aspen-cache-remote; this process goes on without it"), "{}", lost.stderr);
}
