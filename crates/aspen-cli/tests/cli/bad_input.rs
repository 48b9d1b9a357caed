//! What goes wrong is said with its file and a way out, and leaves nothing half-written.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::{Session, TWO_KERNELS, make_prefix};

#[test]
fn command_lines() {
    let session = Session::new(&[("two.cpp", TWO_KERNELS), ("bad.yaml", "intel_gpu_skl:\n  aspects: [fp65]\n")]);
    for (line, needles) in [
        ("aspen++", &["no input files"][..]),
        ("aspen++ -fsycl-no-such-thing two.cpp", &["-fsycl-no-such-thing", "did you mean"]),
        ("aspen++ -fsycl-targets=spir46 two.cpp", &["spir46", "spir64"]),
        ("aspen++ -fsycl-targets=intel_gpu_slk two.cpp", &["intel_gpu_skl"]),
        ("aspen++ -fsycl-targets=spir64_gen,intel_gpu_skl two.cpp", &["spir64_gen"]),
        ("aspen++ -fsycl-targets=intel_gpu_skl -Xs '-device skl' two.cpp", &["-device"]),
        ("aspen++ -fsycl-device-config-file=bad.yaml two.cpp", &["bad.yaml:2:13: error: ", "fp64"]),
        ("aspen++ -fsycl-device-config-file=gone.yaml two.cpp", &["cannot read 'gone.yaml'"]),
        ("aspen++ gone.cpp", &["cannot read 'gone.cpp': No such file"]),
        ("aspen++ .tmp", &["'.tmp' is a folder"]),
        ("aspen++ two.cpp -o .tmp", &["'.tmp' is a folder"]),
        ("aspen++ two.cpp --no-such-clang-option -o no", &["--no-such-clang-option"]),
        ("aspen++ -c two.cpp -o no/such/two.o", &["cannot write 'no/such/two.o': No such file"]),
        ("aspen++ two.cpp -o no/such/two", &["cannot write 'no/such/two': No such file"]),
        ("aspen++ -c two.cpp -o /dev/full", &["cannot write '/dev/full': No space left"]),
        ("aspen++ --help > /dev/full", &["cannot write to 'standard output': No space left"]),
        ("aspen++ --version > /dev/full", &["cannot write to 'standard output': No space left"]),
        ("aspen --version > /dev/full", &["cannot write to standard output: No space left"]),
        ("aspen inspect --help > /dev/full", &["cannot write to standard output: No space left"]),
        ("TMPDIR=$PWD/gone aspen++ -c two.cpp -o no", &["(TMPDIR says where)", "gone': No such file or directory"]),
        ("aspen++ --analyze two.cpp", &["'--analyze'", "clang++-22"]),
    ] {
        session.bad(1, line, needles);
    }
    assert!(!session.exists("a.out") && !session.exists("no"));
}

#[test]
fn objects() {
    let twin = |value: u32| {
        format!(
            "#include <sycl/sycl.hpp>\nclass same;\nvoid f{value}(sycl::queue &q, int *p) {{ q.single_task<same>([=]() {{ p[0] = {value}; }}); }}\n"
        )
    };
    let session = Session::new(&[("two.cpp", TWO_KERNELS), ("a.cpp", &twin(1)), ("b.cpp", &twin(2))]);
    session.ok("aspen++ -fsycl-targets=spir64 -c two.cpp a.cpp b.cpp 2>&1");
    let good = session.read("two.o");
    let damage = |name: &str, needle: &[u8], at: usize, bytes: &[u8]| {
        let mut damaged = good.clone();
        let start = damaged.windows(needle.len()).position(|window| window == needle).expect("it is there") + at;
        damaged[start..start + bytes.len()].copy_from_slice(bytes);
        fs::write(session.path(name), damaged).expect("writable");
    };
    damage("size.o", b"\x10\xff\x10\xad", 8, &[0xff; 8]);
    damage("code.o", b"BC\xc0\xde", 40, &[0xee; 200]);
    damage("sum.o", b"module=2|", 9, b"!!!!");
    for name in ["size.o", "code.o", "sum.o"] {
        session.bad(1, &format!("aspen++ -fsycl-targets=spir64 {name} -o no"), &[name]);
    }
    session.bad(
        1,
        "aspen++ -fsycl-targets=spir64 two.o a.o b.o -o no",
        &["kernel name 'same'", "'a.o'", "b.cpp:3:55: error: ", "\na.cpp:3:55: note: the kernel of 'a.o'\n"],
    );
    session.ok("clang++-22 -c -x c++ - -o host.o < /dev/null");
    session.bad(1, "aspen++ host.o -o no", &["undefined reference to `main'"]);
    assert!(!session.exists("no"));
    // Other drivers stop at objects with launches.
    session.bad(1, "clang++-22 two.o -o no", &["__aspen_link_with_aspenxx"]);
    session.bad(1, "clang++-22 -isystem $(dirname $(command -v aspen++))/../include -c two.cpp -o no.o", &["__ASPEN_OBJECT_TAG__"]);
}

#[test]
fn deep_a_full_disk_leaves_the_old_output() {
    let session = Session::new(&[("two.cpp", TWO_KERNELS)]);
    session.ok("aspen++ -c two.cpp -o two.o && aspen++ two.o -o two");
    let (object, program) = (session.read("two.o"), session.read("two"));
    // Files may grow just less than to the size of the result; writing more fails as on a full disk.
    let limited = |size: usize, line: &str| format!("trap '' XFSZ; ulimit -f {}; {line}", (size - 2048) / 512);
    session.bad(1, &limited(object.len(), "aspen++ -c two.cpp -o two.o"), &["cannot write 'two.o': File too large"]);
    assert!(session.read("two.o") == object);
    session.run(&limited(program.len(), "aspen++ two.o -o two"));
    assert!(session.read("two") == program);
}

#[test]
fn a_toolchain_with_parts_missing() {
    let mut session = Session::new(&[("two.cpp", TWO_KERNELS)]);
    let bare = session.path("bare");
    make_prefix(&bare, false);
    let with_plugin = std::mem::replace(&mut session.bin, bare.join("bin"));
    session.bad(1, "aspen++ -c two.cpp -o no.o", &["'libaspen_clang.so'", "cargo xtask install"]);
    session.bin = with_plugin;
    fs::create_dir(session.path("tools")).expect("writable");
    session.ok("ln -s $(command -v aspen++) tools/ && ln -s /bin/sh tools/");
    session.bad(1, "PATH=$PWD/tools aspen++ -c two.cpp -o no.o", &["'clang++-22' is not on PATH", "cargo xtask setup"]);
    let other = session.path("tools/clang++-22");
    fs::write(&other, "#!/bin/sh\necho 'clang version 21.1.0'\n").expect("writable");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("ours");
    session.bad(1, "PATH=$PWD/tools aspen++ -c two.cpp -o no.o", &["is clang 21", "built for clang 22"]);
    assert!(!session.exists("no.o"));
}

#[test]
fn a_killed_run_leaves_nothing() {
    let slow = "#include <sycl/sycl.hpp>\nint main() {}\n";
    let session = Session::new(&[("slow.cpp", slow)]);
    // The first kill comes as soon as there is something to remove, the next ones in the middle of compilers.
    for wait in ["0", "0.1", "0.4"] {
        let line = format!(
            "aspen++ slow.cpp -o slow & pid=$!; while [ -z \"$(ls .tmp)\" ]; do :; done; sleep {wait}; kill -KILL $pid; wait $pid; \
            for i in $(seq 60); do [ -z \"$(ls .tmp)\" ] && exit 0; sleep 0.25; done; ls .tmp; exit 9"
        );
        let said = session.run(&line);
        assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    }
}
