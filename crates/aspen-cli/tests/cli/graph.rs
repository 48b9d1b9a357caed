//! The ahead-of-time part of a link as a graph: the same bytes whoever runs the compilers, only what changed is compiled, and what can go
//! wrong with folders, results, launchers and workers. Compilers are scripts that note their runs; ninja is the real one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::Session;

/// Called as ocloc is: notes the run, and makes of every input other code. `-device slow` waits, `-device bad` fails; `warn` says something.
const FAKE: &str = r#"#!/bin/sh
here=$(dirname "$0")
while [ $# -gt 0 ]; do case "$1" in -file) in=$2; shift;; -output) out=$2; shift;; -device) device=$2; shift;; esac; shift; done
echo "$device" >> "$here/runs"
case $device in
  bad) echo "no such thing as $device"; exit 3;;
  slow) while [ -e "$here/wait" ]; do sleep 0.05; done;;
  warn) echo "mind the gap";;
  killed) if [ -e "$here/full" ]; then kill -KILL $$; fi;;
esac
(echo "code for $device"; cat "$in") > "$out"
"#;

const DEVICES: &str = "\
a: {aspects: [fp64, gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device a}
b: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device b}
twin: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device b}
bad: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device bad}
slow: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device slow}
warn: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device warn}
killed: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: ./fake, aot-toolchain-options: -device killed}
none: {aspects: [gpu], sub-group-sizes: [8, 16, 32], aot-toolchain: no-such-ocloc, aot-toolchain-options: -device x}
";

/// Five kernels, one of which needs fp64; which of them is what, macros say.
const SOURCE: &str = "\
#include <sycl/sycl.hpp>
#ifndef CHANGED
#define CHANGED 3
#endif
template <int N> class kernel;
class dbl;
template <int N> void launch(sycl::queue &q, int *p, int by) {
  q.single_task<kernel<N>>([=] { p[N] = p[N] * N + by; });
}
int main() {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(8, q);
  launch<0>(q, p, 1);
  launch<1>(q, p, 2);
  launch<2>(q, p, 3);
  q.single_task<kernel<3>>([=] { p[3] = p[4] * CHANGED; });
  q.single_task<dbl>([=] { double d = p[0]; p[1] = int(d / 3); });
}
";

/// A folder with the compiler, its devices, and objects for all of them.
fn session(targets: &str, define: &[&str]) -> Session {
    let mut session = Session::new(&[("p.cpp", SOURCE), ("fake", FAKE), ("own.yaml", DEVICES)]);
    fs::set_permissions(session.path("fake"), fs::Permissions::from_mode(0o755)).expect("writable");
    session.environment.push(("ASPEN_CACHE_DIR", session.path("cache").display().to_string()));
    for (number, define) in define.iter().enumerate() {
        session.ok(&format!("aspen++ -c {} {define} p.cpp -o p{number}.o", devices(targets)));
    }
    session
}

fn devices(targets: &str) -> String {
    format!("-fsycl-targets={targets} -fsycl-device-config-file=own.yaml")
}

/// Links to `a.out`, with one image a kernel.
fn link(targets: &str, object: &str, words: &str) -> String {
    format!("aspen++ {} -fsycl-device-code-split=per_kernel {object} -o a.out {words}", devices(targets))
}

/// How often the compiler ran since it was last asked.
fn runs(session: &Session) -> usize {
    let text = fs::read_to_string(session.path("runs")).unwrap_or_default();
    fs::remove_file(session.path("runs")).ok();
    text.lines().count()
}

#[test]
fn deep_the_program_is_the_same_whoever_runs_the_compilers() {
    let session = session("native_cpu,spir64,a,b", &[""]);
    let targets = "native_cpu,spir64,a,b";
    session.ok(&link(targets, "p0.o", ""));
    session.ok("mv a.out plain");
    assert_eq!(runs(&session), 9, "five kernels for a, four for b");
    for (words, then) in [
        ("-fsycl-aot-graph=graph", "ninja -C graph -j2"),
        ("-fsycl-aot-graph='sub/gr aph $x'", "ninja -C 'sub/gr aph $x'"),
        ("-fsycl-aot-graph=graph2 -fsycl-aot-launcher='env NOTHING=1'", "true"),
    ] {
        session.ok(&link(targets, "p0.o", words));
        assert!(words.contains("launcher") || !session.exists("a.out"), "{words}");
        session.ok(then);
        assert_eq!(runs(&session), 9, "{words}");
        session.ok("cmp plain a.out && rm a.out");
    }
    // Without a folder this machine's results are asked for, and no other's are kept as if they were.
    for (before, expected) in [("rm -rf cache/ahead-of-time", 9), ("true", 9), ("unset ASPEN_AOT_LAUNCHER", 9), ("true", 0)] {
        session.ok(&format!("export ASPEN_AOT_LAUNCHER='env NOTHING=1'; {before}; {}", link(targets, "p0.o", "")));
        session.ok("cmp plain a.out && rm a.out");
        assert_eq!(runs(&session), expected, "{before}");
    }
    // Who links nothing ahead of time misses no launcher.
    session.ok("echo 'int main() {}' > plain.cpp && ASPEN_AOT_LAUNCHER=/no/such aspen++ plain.cpp -o none && ./none");
    // The option wins over the environment; empty, it is none.
    session.ok(&format!("ASPEN_AOT_LAUNCHER=/no/such {}", link(targets, "p0.o", "-fsycl-aot-launcher=")));
    // The command's own sources are linked after it has ended.
    session.ok(&format!("aspen++ {} p.cpp -o a.out -fsycl-aot-graph=graph3 && ninja -C graph3 && mv a.out b.out", devices("b")));
    session.ok(&format!("aspen++ {} p.cpp -o a.out && cmp a.out b.out", devices("b")));
    // A graph whose inputs are all there is finished again from any of its results.
    session.ok("rm graph3/registration.o && ninja -C graph3 && cmp a.out b.out");
    // The workers take nothing from the environment but where programs are.
    session.ok("rm -r graph3/results a.out && env -i PATH=/usr/bin:/bin ninja -C graph3 && cmp a.out b.out");
}

#[test]
fn only_what_changed_is_compiled() {
    let session = session("a,b,twin", &["", "-DCHANGED=5"]);
    for graph in [false, true] {
        let words = if graph { "-fsycl-aot-graph=graph" } else { "" };
        let run = |targets: &str, object: &str, expected: usize, what: &str| {
            session.ok(&link(targets, object, words));
            session.ok(if graph { "ninja -C graph" } else { "true" });
            assert_eq!(runs(&session), expected, "{what}, graph: {graph}");
        };
        run("a", "p0.o", 5, "the first build");
        run("a", "p0.o", 0, "nothing new");
        run("a,b", "p0.o", 4, "a target more");
        run("a,b,twin", "p0.o", 0, "a target whose compiler gets the same words and code");
        run("a,b,twin", "p1.o", 2, "a kernel changed");
        if graph {
            session.ok("touch fake");
            session.ok("ninja -C graph");
            assert_eq!(runs(&session), 9, "another compiler");
        }
    }
}

#[test]
fn deep_folders_and_results_that_cannot_be_used() {
    let session = session("a,b", &["", "-DCHANGED=5"]);
    let graph = |words: &str| link("a,b", "p0.o", &format!("-fsycl-aot-graph=graph {words}"));
    // Nobody else's folder is taken for a graph's, whatever the names in it.
    session
        .ok("mkdir -p other/results other/objects away && echo '{}' > other/graph.json && touch other/lock other/results/mine away/mine");
    session.bad(1, &link("b", "p0.o", "-fsycl-aot-graph=other"), &["other", "holds something else"]);
    session.ok("test -e other/results/mine");
    session.bad(1, &link("b", "p0.o", "-fsycl-aot-graph=null -o /dev/null"), &["'/dev/null' is no file that a graph could replace"]);
    session.ok("rm -r null");
    session.bad(1, &link("b", "p0.o", "-fsycl-aot-graph=own.yaml"), &["cannot make the folder 'own.yaml'"]);
    session.bad(1, &link("b", "p0.o", "-fsycl-aot-graph="), &["-fsycl-aot-graph", "needs a value"]);
    session.bad(1, &graph("-fsycl-dump-device-code=x"), &["-fsycl-dump-device-code", "finished elsewhere"]);
    session.ok(&graph(""));
    // Each program has a folder of its own.
    session.bad(1, &graph("-o b.out"), &["the graph of '../a.out'", "each program needs one of its own"]);
    // Results: truncated, another job's, no result at all. ninja holds them for finished; the images do not.
    session.ok("ninja -C graph results");
    let result = session.ok("ls graph/results/b/*").stdout.lines().next().expect("there are results").to_owned();
    let other = session.ok("ls graph/results/b/*").stdout.lines().nth(1).expect("several").to_owned();
    session.ok(&format!("cp {result} whole"));
    for (damage, why) in [
        (format!("head -c 60 whole > {result}"), "truncated or damaged"),
        (format!("cp {other} {result}"), "stale"),
        (format!("echo nonsense > {result}"), "no result of `aspen aot`"),
    ] {
        session.ok(&damage);
        let said = session.run("ninja -C graph");
        assert!(said.code == Some(1) && said.stdout.contains(why) && said.stdout.contains("for target 'b'"), "{damage}: {}", said.stdout);
        assert!(said.stdout.contains("remove it and run ninja again") && !session.exists("a.out"), "{}", said.stdout);
    }
    // Writing the graph again finds them, too.
    runs(&session);
    session.ok(&graph(""));
    session.ok("ninja -C graph");
    assert_eq!(runs(&session), 1);
    // What the graph was made of changes: its images would not go with that.
    session.ok("rm a.out; cp p0.o kept.o; cp p1.o p0.o");
    let said = session.run("ninja -C graph");
    assert!(said.stdout.contains("'../p0.o': it has changed since the graph was written; run aspen++ again"), "{}", said.stdout);
    session.ok("cp kept.o p0.o");
    // Another version's, or a damaged one: the jobs' commands refuse, aspen++ writes it anew.
    session.ok("sed -i 's/\"producer\": \"aspen++ [^\"]*/\"producer\": \"aspen++ 9.9.9/' graph/graph.json");
    let said = session.run("ninja -C graph");
    assert!(said.stdout.contains("aspen++ 9.9.9 (format 2) wrote this graph, and this is aspen++"), "{}", said.stdout);
    session.ok("echo '{' > graph/graph.json; ln -s ../../away graph/results/away");
    let said = session.run("ninja -C graph");
    assert!(said.stdout.contains("the graph is damaged"), "{}", said.stdout);
    session.ok(&graph(""));
    session.ok("ninja -C graph && test -e away/mine");
}

#[test]
fn two_links_cannot_use_one_folder_at_once() {
    let session = session("slow", &[""]);
    let line = link("slow", "p0.o", "-fsycl-aot-graph=graph -fsycl-aot-launcher=env");
    fs::write(session.path("wait"), "").expect("writable");
    let mut first = Command::new("/bin/sh")
        .args(["-c", &format!("exec {line}")])
        .current_dir(session.path(""))
        .env("PATH", format!("{}:/usr/bin:/bin", session.bin.display()))
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    let begun = Instant::now();
    while !session.exists("runs") {
        assert!(begun.elapsed() < Duration::from_secs(60), "the first link compiles nothing");
        thread::sleep(Duration::from_millis(20));
    }
    let said = session.run(&line);
    assert!(said.code == Some(1) && said.stderr.contains("another link works in that folder"), "{}", said.stderr);
    fs::remove_file(session.path("wait")).expect("it is there");
    assert!(first.wait().expect("it ends").success());
    session.ok(&line);
}

#[test]
fn deep_launchers_and_workers_that_fail() {
    let session = session("b,bad,warn,killed,none", &[""]);
    let launched = |target: &str, launcher: &str| link(target, "p0.o", &format!("-fsycl-aot-launcher='{launcher}'"));
    for (launcher, words) in [
        ("no-such-launcher -n1", "the launcher 'no-such-launcher' is in no folder of PATH"),
        ("./own.yaml", "the launcher './own.yaml' is not there, or cannot be executed"),
    ] {
        session.bad(1, &launched("b", launcher), &[words]);
    }
    assert_eq!(runs(&session), 0);
    // The compiler's own words, with the image, its kernels and the target; every job is run and told, none twice.
    let said = session.bad(
        1,
        &launched("b,bad", "env"),
        &[
            "cannot make image 'a_0' for target 'bad'",
            "no such thing as bad",
            "it ended with exit status: 3",
            "kernels of the image: 'kernel<",
        ],
    );
    assert_eq!((said.stderr.matches("no such thing as bad").count(), runs(&session)), (4, 8), "{}", said.stderr);
    assert!(!session.exists("a.out"));
    // What a compiler says though it succeeds is said each time.
    for _ in 0..2 {
        let said = session.ok(&launched("warn", "env"));
        assert_eq!(said.stderr.matches("mind the gap").count(), 4, "{}", said.stderr);
    }
    // A worker without the compiler.
    session.bad(1, &launched("none", "env"), &["target 'none': cannot run 'no-such-ocloc'", "intel-opencl-icd", "this machine is '"]);
    // The machine was at fault, once: another attempt. The launcher notes all, and fails in its own way the first time.
    let script = "#!/bin/sh\necho $ASPEN_AOT_ATTEMPT $SLURM_EXIT_ERROR >> attempts\nif [ \"$ASPEN_AOT_ATTEMPT\" = 1 ]; then exit CODE; fi\nexec \"$@\"\n";
    let here = session.path("attempts").display().to_string();
    for (code, attempts) in [(75, 8), (255, 8), (137, 8), (1, 4), (3, 4)] {
        fs::write(session.path("launcher"), script.replace("attempts\n", &format!("{here}\n")).replace("CODE", &code.to_string()))
            .expect("writable");
        session.ok("chmod +x launcher; rm -rf attempts cache a.out");
        let said = session.run(&launched("b", "./launcher"));
        let text = String::from_utf8(session.read("attempts")).expect("text");
        assert_eq!((text.lines().count(), said.code), (attempts, Some(if attempts == 8 { 0 } else { 1 })), "{code}: {}", said.stderr);
        assert!(text.lines().all(|line| line == "1 75" || line == "2 75"), "{text}");
        assert_eq!(said.stderr.contains("the machine was at fault (exit code"), attempts == 8, "{}", said.stderr);
    }
    // A compiler that something kills: its machine is at fault, on both attempts.
    runs(&session);
    session.ok("touch full");
    session.bad(1, &launched("killed", "env"), &["cannot make image 'a_0' for target 'killed'", "signal: 9"]);
    assert_eq!(runs(&session), 8);
    // Without ninja.
    session.ok("mkdir bin; for tool in clang++-22 ld as sh rm env sleep; do ln -s \"$(command -v $tool)\" bin/$tool; done");
    let aspen = session.bin.join("aspen++").display().to_string();
    let line = launched("b", "env").replacen("aspen++", &format!("PATH=$PWD/bin {aspen}"), 1);
    session.bad(1, &format!("rm -rf cache; {line}"), &["cannot run 'ninja'", "ninja-build"]);
}

/// Loading libLLVM takes longer than what a job does itself.
#[test]
fn jobs_do_without_llvm() {
    let session = session("a", &[""]);
    session.ok(&link("a", "p0.o", "-fsycl-aot-graph=graph"));
    let graph = String::from_utf8(session.read("graph/build.ninja")).expect("text");
    let program = session.bin.with_file_name("lib").join("aspen/aspen");
    assert!(graph.contains(&format!("\naspen = {}\n", program.display())), "{graph}");
    let bytes = fs::read(&program).expect("installed");
    assert!(bytes.windows(9).any(|window| window == b"libc.so.6"), "not linked as other programs are");
    assert!(!bytes.windows(11).any(|window| window == b"libLLVM.so."), "libLLVM is loaded for each job");
    session.bad(2, &program.display().to_string(), &["Usage: aspen", "aot-pack"]);
}

#[test]
fn short_jobs_go_together() {
    let session = session("a,bad,killed", &["", "-DCHANGED=5"]);
    // What the launcher is given is noted; a batch is one of these.
    let script = format!("#!/bin/sh\necho >> {}\nexec \"$@\"\n", session.path("starts").display());
    fs::write(session.path("launcher"), script).expect("writable");
    session.ok("chmod +x launcher");
    let starts = || {
        let text = fs::read_to_string(session.path("starts")).unwrap_or_default();
        fs::remove_file(session.path("starts")).ok();
        text.lines().count()
    };
    let line = |targets: &str, object: &str, words: &str| link(targets, object, &format!("-fsycl-aot-launcher=./launcher {words}"));
    session.ok(&format!("{} && mv a.out plain", line("a", "p0.o", "")));
    assert_eq!((starts(), runs(&session)), (5, 5));
    let kept = "-fsycl-aot-graph=graph -fsycl-aot-batch=100";
    session.ok(&format!("rm -r cache; {} && cmp a.out plain", line("a", "p0.o", kept)));
    assert_eq!((starts(), runs(&session)), (1, 5));
    // Nothing is made again because its batch, or the launcher, is another one now.
    session.ok(&format!("{} && cmp a.out plain", line("a", "p0.o", kept)));
    session.ok(&format!("{} && ninja -C graph && cmp a.out plain", link("a", "p0.o", "-fsycl-aot-graph=graph")));
    assert_eq!((starts(), runs(&session)), (0, 0));
    session.ok(&line("a", "p1.o", kept));
    assert_eq!((starts(), runs(&session)), (1, 1), "the kernel that changed");
    session.ok(&format!("rm graph/results/a/* && touch fake && {} && cp a.out plain", line("a", "p1.o", kept)));
    assert_eq!((starts(), runs(&session)), (1, 5), "together again");
    session.ok(&format!("touch fake && {} && cmp a.out plain", line("a", "p1.o", kept)));
    assert_eq!((starts(), runs(&session)), (1, 5), "another compiler");
    // Each job of a batch fails for itself.
    let said =
        session.bad(1, &line("bad", "p0.o", "-fsycl-aot-batch=100"), &["cannot make image 'a_0' for target 'bad'", "no such thing as bad"]);
    let told = |words: &str| said.stderr.matches(words).count();
    assert_eq!(
        (told("cannot make image 'a_"), told("no such thing as bad"), told("kernels of the image: 'kernel<")),
        (4, 4, 4),
        "{}",
        said.stderr
    );
    assert_eq!((starts(), runs(&session)), (1, 4));
    // The machine is at fault: the batch goes to another one.
    session.ok("touch full");
    let said =
        session.bad(1, &line("killed", "p0.o", "-fsycl-aot-batch=100"), &["cannot make image 'a_0' for target 'killed'", "signal: 9"]);
    assert_eq!(said.stderr.matches("cannot make image 'a_").count(), 4, "{}", said.stderr);
    assert_eq!((starts(), runs(&session)), (2, 8));
    session.bad(1, &line("a", "p0.o", "-fsycl-aot-batch=soon"), &["'soon' is no number of seconds"]);
    // Whoever asks for batches of nothing is told.
    for (words, told) in [
        ("-fsycl-aot-batch=20", true),
        ("-fsycl-aot-batch=0", false),
        ("-fsycl-aot-batch=20 -Wno-unused-command-line-argument", false),
        ("-fsycl-aot-batch=20 -fsycl-aot-launcher=env", false),
    ] {
        let said = session.ok(&link("a", "p0.o", words)).stderr;
        assert_eq!(said.contains("warning: '-fsycl-aot-batch' is not used: "), told, "{words}: {said}");
    }
    session.ok("echo '[{}]' > x.batch");
    session.bad(1, "aspen aot --batch x.batch", &["'x.batch'", "it is no batch of jobs that aspen++ wrote", "target"]);
    session.bad(75, "aspen aot --batch none.batch", &["cannot read 'none.batch'"]);
    session.bad(2, "aspen aot --batch x.batch --target a", &["--batch", "--target"]);
}

#[test]
fn a_job_by_hand() {
    let session = session("b", &[""]);
    session.ok(&link("b", "p0.o", "-fsycl-aot-graph=graph"));
    session.ok("cp graph/inputs/$(ls graph/inputs | head -1) in.spv");
    session.ok("aspen aot --target b --device-config-file own.yaml in.spv -o by-hand.result");
    session.ok("aspen aot --target b --compiler ./fake in.spv -o named.result -- -device b");
    assert!(session.read("by-hand.result").starts_with(b"ASPENAOT"));
    session.bad(2, "aspen aot --target nothing in.spv -o x", &["unknown target 'nothing'"]);
    // Wrong everywhere, so it is told before the input is looked for.
    session.bad(2, "aspen aot --target nothing missing.spv -o x", &["unknown target 'nothing'"]);
    session.bad(2, "aspen aot --target nvidia_gpu_sm_90 in.spv -o x", &["has no compiler for such code"]);
    session.bad(1, "aspen aot --target b --compiler ./fake own.yaml -o x", &["'own.yaml' is neither SPIR-V, PTX nor an object"]);
    session.bad(75, "aspen aot --target b --compiler ./fake none.spv -o x", &["target 'b': cannot read 'none.spv'", "this machine is '"]);
    session.bad(75, "aspen aot --target b --compiler ./none in.spv -o x", &["target 'b': cannot run", "/none'"]);
    session.bad(75, "aspen aot --target b --compiler ./fake in.spv -o own.yaml/x -- -device b", &["cannot make the folder 'own.yaml'"]);
    session.bad(1, "aspen aot --target b --compiler ./fake in.spv -o x -- -device bad", &["target 'b'", "no such thing as bad"]);
    session.bad(2, "aspen aot in.spv -o x", &["--target"]);
    session.bad(1, "aspen aot-pack graph/none.json -o x", &["cannot read 'graph/none.json'"]);
    session.bad(75, "aspen launch no-such-launcher", &["cannot start 'no-such-launcher'"]);
    assert!(!session.exists("x"));
}
