//! `aspen++ -E` and what becomes of its text: launchers of compilers preprocess here and compile elsewhere, build systems ask with `-E -dM`.

use crate::common::Session;

const SOURCE: &str = "\
#include <sycl/sycl.hpp>
#include <cassert>
#include NAMES
double twice(double x) { return x + x; }
[[sycl::device_has(sycl::aspect::fp16)]] void less(double *p) { *p = TIMES(*p); }
namespace { class local; }
int main() {
  sycl::queue q;
  double *p = sycl::malloc_shared<double>(1, q);
  assert(p != nullptr);
  q.single_task<local>([=] { *p = 1; less(p); }).wait();
#ifdef __SYCL_DEVICE_ONLY__
  static_assert(sizeof(void *) == 8);
#endif
  return *p == 2 ? 0 : 1;
}
";
const NAMES: &str = "#define TIMES(x) twice(x)\n";

fn session() -> Session {
    Session::new(&[("a.cpp", SOURCE), ("names.hpp", NAMES), ("dev.yaml", "intel_gpu_mine:\n  aspects: [fp16, gpu]\n")])
}

const OPTIONS: &str = "-O1 -I. -DNAMES='\"names.hpp\"'";

/// Text and its line, without columns and excerpts, which macros change.
fn places(words: &str) -> Vec<String> {
    let lines = words.lines().filter(|line| line.contains("a.cpp:"));
    lines
        .map(|line| {
            let mut parts = line.splitn(4, ':');
            let (file, number, _, rest) = (parts.next(), parts.next(), parts.next(), parts.next());
            [file, number, rest].map(Option::unwrap_or_default).join(":")
        })
        .collect()
}

#[test]
fn a_bundle_compiles_to_what_the_source_compiles_to() {
    bundles(&[("-c a.ii -o again.o", true), ("-c includes.ii -o again.o", true)]);
}

#[test]
fn deep_a_bundle_compiles_however_it_is_given() {
    bundles(&[
        ("-x c++ - -c -o again.o < a.ii", true),
        ("-c -x c++-cpp-output a.ii -fpreprocessed -o again.o", true),
        ("-x c++-cpp-output -c small.ii -o again.o", false),
    ]);
    let session = session();
    // What the preprocessor has done is not done again, in whatever words it was asked for; open macros stay open.
    session.ok(
        "echo 'struct once {}; int value = X;' > once.hpp && echo '#ifndef __linux__\n#error no\n#endif\nint f() { return X; }' > b.cpp",
    );
    let words = "-DX=1 --include once.hpp -Xclang -DY=2 -Xpreprocessor -DZ=3";
    session.ok(&format!("aspen++ {words} -E b.cpp -o b.ii && mv once.hpp gone.hpp && aspen++ {words} -c b.ii && mv gone.hpp once.hpp"));
    session.ok(&format!("aspen++ {words} -E -frewrite-includes b.cpp -o c.ii && aspen++ {words} -c c.ii"));
    session.ok("echo 'int f() { return X; }' > d.cpp && aspen++ -DX=1 -E -frewrite-includes d.cpp -o d.ii && aspen++ -DX=1 -c d.ii");
    session.ok(&format!("aspen++ {OPTIONS} -E a.cpp | aspen++ {OPTIONS} -x c++ - -o piped && ./piped"));
}

/// Compiles what was preprocessed by such words, where nothing but it is there; the flag: whether it has the source's lines.
fn bundles(lines: &[(&str, bool)]) {
    let session = session();
    let direct = session.ok(&format!("aspen++ {OPTIONS} -c a.cpp -o a.o"));
    assert!(direct.stderr.contains("a.cpp:5"), "{}", direct.stderr);
    session.ok(&format!("aspen++ {OPTIONS} -E a.cpp -o a.ii"));
    session.ok(&format!("aspen++ {OPTIONS} -E -frewrite-includes a.cpp -o includes.ii"));
    session.ok(&format!("aspen++ {OPTIONS} -E -P -fminimize-whitespace a.cpp -o small.ii"));
    for &(line, keeps_lines) in lines {
        // Another place: nothing but the text is there.
        let said = session.ok(&format!("mv names.hpp gone; aspen++ {OPTIONS} {line}; code=$?; mv gone names.hpp; exit $code"));
        if keeps_lines {
            assert_eq!(places(&said.stderr), places(&direct.stderr), "{line}");
            let same = session.run("aspen diff a.o again.o");
            assert_eq!((same.code, same.stdout.as_str()), (Some(0), ""), "{line}: {}", same.stderr);
        }
        if line.contains("includes.ii") {
            assert!(session.read("a.o") == session.read("again.o"), "{line}: another object");
        }
    }
    session.ok("aspen++ again.o -o again && ./again");
}

#[test]
fn text_of_one_pass_is_said_to_be_that() {
    let session = session();
    session.ok(&format!("aspen++ {OPTIONS} -E -fsycl-host-only a.cpp -o host.ii"));
    let one = ["'host.ii': this is a SYCL program's text for one pass", "`aspen++ -E` writes that of all passes"];
    session.bad(1, "aspen++ -c host.ii", &one);
    session.bad(1, "aspen++ -x c++ - -c < host.ii", &one[1..]);
    session.ok("aspen++ -fsycl-host-only -c host.ii");
    session.ok(&format!("aspen++ {OPTIONS} -fsycl-targets=native_cpu -E a.cpp -o cpu.ii"));
    session.bad(
        1,
        "aspen++ -fsycl-targets=native_cpu,nvidia_gpu_sm_90 -c cpu.ii",
        &["'cpu.ii': this preprocessed text has no part 'sycl-", "preprocess it with the same '-fsycl-targets='"],
    );
    session.bad(
        1,
        "head -n 1000 cpu.ii > cut.ii; aspen++ -c cut.ii",
        &["'cut.ii': the part 'host-x86_64-pc-linux-gnu-' has no end: the text is cut off"],
    );
    // Text without SYCL needs no more than one pass, and is not written for more.
    session.ok("echo 'int f() { return 1; }' > plain.cpp && aspen++ -c plain.cpp -o plain.o");
    // Without line markers the object names the text as its source.
    for (options, then) in [("-fsycl-host-only -E", "cmp plain.o same.o"), ("-E", "cmp plain.o same.o"), ("-E -P", "test -s same.o")] {
        session.ok(&format!("aspen++ {options} plain.cpp -o plain.ii && aspen++ -Wall -Werror -c plain.ii -o same.o && {then}"));
        assert!(!String::from_utf8_lossy(&session.read("plain.ii")).contains("OFFLOAD_BUNDLE"), "{options}");
    }
}

#[test]
fn build_systems_get_the_answers_of_clang() {
    let session = session();
    let check = |line: &str, stdout: &str| {
        let said = session.ok(line);
        assert!(said.stdout.contains(stdout), "{line}: {}", said.stdout.chars().take(2000).collect::<String>());
        assert!(!said.stdout.contains("OFFLOAD_BUNDLE"), "{line}: {}", said.stdout.chars().take(2000).collect::<String>());
    };
    check("aspen++ -E -dM - < /dev/null", "#define __clang_major__ 22");
    check("aspen++ -E -dM -x c++ /dev/null", "#define __ASPEN__ 1");
    check("echo int a = __ASPEN__ + 1 | aspen++ -E -P -", "int a = 1 + 1");
    check(&format!("aspen++ {OPTIONS} -M a.cpp"), "names.hpp");
    check(&format!("aspen++ {OPTIONS} -E -dD a.cpp"), "#define TIMES(x) twice(x)");
    // sccache asks so.
    check("echo '__clang__ clang++ __clang_major__' > testfile.c && aspen++ -E testfile.c", "\n1 clang++ 22\n");
    check("aspen++ -Wl,--version", "ld");
    assert!(session.ok("aspen++ -E -v -x c++ /dev/null").stderr.contains("#include <...> search starts here:"));
    assert!(session.ok("aspen++ '-###'").stderr.contains("Target: "));
    session.bad(1, "aspen++ - < /dev/null", &["'-E' or '-x' is required when input is from standard input"]);
}

#[test]
fn what_decides_an_object_stands_in_depfile_and_text() {
    let session = session();
    let line = "-fsycl-targets=spir64,intel_gpu_mine -fsycl-device-config-file=dev.yaml";
    let options = format!("aspen++ {OPTIONS} {line}");
    session.ok(&format!("{options} -E -MMD -MF a.d a.cpp -o a.ii"));
    let text = |name: &str| String::from_utf8_lossy(&session.read(name)).into_owned();
    let digest = |text: &str| text.lines().find(|line| line.starts_with("#pragma aspen input \"dev.yaml\" ")).map(str::to_owned);
    let first = text("a.ii");
    assert!(first.contains("\n# 1 \"dev.yaml\"\n") && digest(&first).is_some(), "no digest of the device file");
    assert!(first.contains("libaspen_clang.so") && first.contains("#pragma aspen version "), "no digest of the plugin");
    assert!(text("a.d").starts_with("a.o: \\\n  a.cpp \\\n  names.hpp \\\n  dev.yaml\n"), "{}", text("a.d"));
    session.ok("echo '  sub-group-sizes: [16]' >> dev.yaml");
    session.ok(&format!("{options} -E -P -MD -MF a.d a.cpp -o small.ii"));
    let second = text("small.ii");
    assert!(!second.contains("# 1 \"dev.yaml\""), "a marker in spite of -P");
    assert!(digest(&second).is_some() && digest(&second) != digest(&first), "the same digest of another file");
    assert!(text("a.d").contains("libaspen_clang.so"), "{}", text("a.d"));
    session.ok(&format!("{options} -c a.ii -MMD -MF ii.d -o a.o"));
    assert_eq!(text("ii.d"), "a.o: \\\n  a.ii \\\n  dev.yaml\n");
    session.ok(&format!("{options} -x c++ - -c -MMD -MF in.d -o in.o < a.ii"));
    assert_eq!(text("in.d"), "in.o: \\\n  dev.yaml\n");
}

/// A header that one pass alone reads is as much a reason to compile again as any other.
#[test]
fn lists_of_headers_are_of_all_passes() {
    let files = [
        (
            "a.cpp",
            "#include \"all.h\"\n#ifdef __SYCL_DEVICE_ONLY__\n#include \"d.h\"\n#else\n#include <host.h>\n#include <sstream>\n#endif\n",
        ),
        ("all.h", ""),
        ("d.h", ""),
        ("sys/host.h", ""),
    ];
    let session = Session::new(&[]);
    session.ok("mkdir sys");
    for (name, text) in files {
        std::fs::write(session.path(name), text).expect("writable");
    }
    let text = |name: &str| String::from_utf8_lossy(&session.read(name)).into_owned();
    let options = format!("aspen++ {OPTIONS} -isystem sys a.cpp");
    let rule = "a.o: \\\n  a.cpp \\\n  all.h \\\n  d.h\n";
    assert_eq!(session.ok(&format!("{options} -MM")).stdout, rule);
    assert_eq!(session.ok(&format!("{options} --user-dependencies -c")).stdout, rule);
    assert_eq!(session.ok(&format!("{options} -MM -fsycl-host-only")).stdout, rule.replace(" \\\n  d.h", ""));
    assert_eq!(session.ok(&format!("aspen++ {OPTIONS} -MM -isystem sys -x c++ - < a.cpp")).stdout, "-.o: \\\n  all.h \\\n  d.h\n");
    assert_eq!(session.ok(&format!("{options} -MM -MP -MT 'x y' -o list")).stdout, "");
    assert_eq!(text("list"), format!("{}\nall.h:\n\nd.h:\n", rule.replace("a.o", "x y")));
    assert_eq!(session.ok(&format!("{options} -MM -MF there -o not-there")).stdout, "");
    assert!(text("there") == rule && !session.exists("not-there"));
    let all = session.ok(&format!("{options} -M")).stdout;
    assert!(["  sys/host.h ", "/sstream ", "  d.h "].iter().all(|file| all.contains(file)), "{all}");
    // As clang has it, with `-MD` the text comes, too.
    assert!(session.ok(&format!("{options} -MM -MD")).stdout.contains("# 1 \"a.cpp\""));
    assert_eq!(text("a.d"), rule);
    session.bad(1, &format!("{options} -MM -Dsstream=none -include d.h -include nowhere.h"), &["'nowhere.h' file not found"]);
    assert!(session.ok(&format!("{options} -MM -MG -include nowhere.h")).stdout.contains(" nowhere.h "));
}
