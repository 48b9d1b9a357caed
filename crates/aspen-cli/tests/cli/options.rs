//! Every option of `data/options.toml` through `aspen++`, and command lines as makefiles have them.

use crate::common::Session;
use aspen_driver::args::known::{Known, OPTIONS, Takes, Verdict};

const PROGRAM: &str = "int main() { return 0; }\n";

/// The ways to write a row's option.
fn spellings(known: &Known) -> Vec<String> {
    let value = known.values.first().unwrap_or(&known.example);
    let name = known.name;
    match known.takes {
        Takes::Nothing => vec![name.to_owned()],
        // Without jobs that somebody else starts it is warned of: graph.rs.
        Takes::Value if name == "-fsycl-aot-batch" => vec![format!("{name}={value} -fsycl-aot-graph=graph")],
        Takes::Value => vec![format!("{name}={value}")],
        Takes::ValueOrNothing => vec![name.to_owned(), format!("{name}={value}")],
        Takes::Word => vec![format!("{name} {value}")],
        Takes::TargetAndWord => vec![format!("{name}={value}")],
        Takes::Anything => vec![format!("{name}{value}")],
    }
}

#[test]
fn every_row_of_the_table() {
    let session = Session::new(&[("x.cpp", PROGRAM), ("own.yaml", "own:\n  aspects: [gpu]\n")]);
    for known in OPTIONS {
        for spelling in spellings(known) {
            let said = session.run(&format!("aspen++ -### '-DA=b c' {spelling} x.cpp"));
            let (errors, warnings) = (said.stderr.matches("error: ").count(), said.stderr.matches("warning: ").count());
            let expected = match known.verdict {
                Verdict::Honoured | Verdict::Nothing => (Some(0), 0, 0),
                Verdict::Warns => (Some(0), 0, 1),
                Verdict::Refused => (Some(1), 1, 0),
            };
            // The row of a target for the word says that others get it as well.
            // Square roots of SPIR-V, which is made by default, are the drivers' own.
            let is_warned = spelling.starts_with("-Xsycl-target-frontend=")
                || matches!(&*spelling, "-fsycl-fp32-prec-sqrt" | "-foffload-fp32-prec-sqrt" | "-fcuda-prec-sqrt");
            let expected = if is_warned { (Some(0), 0, 1) } else { expected };
            assert_eq!((said.code, errors, warnings), expected, "{spelling}: {}", said.stderr);
            if matches!(known.verdict, Verdict::Warns | Verdict::Refused) {
                assert!(said.stderr.contains(known.name) && said.stderr.contains(known.why), "{spelling}: {}", said.stderr);
            }
            if !known.becomes.is_empty() {
                let said = session.ok(&format!("aspen++ -fsycl-targets=native_cpu -fsyntax-only {spelling} x.cpp"));
                assert_eq!(said.stderr, "", "{spelling}");
            }
        }
    }
}

#[test]
fn nothing_is_read_as_something_else() {
    let session = Session::new(&[("x.cpp", PROGRAM)]);
    session.bad(1, "aspen++ -fsycl-no-such-thing x.cpp", &["unknown option '-fsycl-no-such-thing'; did you mean"]);
    session.bad(1, "aspen++ -Xsycl-target-middle x x.cpp", &["unknown option '-Xsycl-target-middle'; did you mean '-Xsycl-target-"]);
    session.bad(1, "aspen++ -fsycl-unnamed-lambda=1 x.cpp", &["option '-fsycl-unnamed-lambda' takes no value"]);
    session.bad(1, "aspen++ x.cpp -Xsycl-target-linker", &["option '-Xsycl-target-linker' needs a value after it"]);
    session.bad(1, "aspen++ -fsycl-max-parallel-link-jobs=x x.cpp", &["error: '-fsycl-max-parallel-link-jobs=x': the number of jobs is"]);
    session.bad(1, "aspen++ -fsycl-targets=nvptx64-cuda-cuda x.cpp", &["'nvptx64-cuda-cuda'; did you mean 'nvptx64-nvidia-cuda'?"]);
    for (unknown, near) in [
        ("-Wno-sycl-aspect", "; did you mean '-Wno-sycl-aspects'?"),
        ("-Werror=sycl-extern", "; did you mean '-Werror=sycl-external'?"),
        ("-Wno-sycl-foo", ""),
    ] {
        let said = format!("aspen++: warning: unknown warning option '{unknown}'{near} [-Wunknown-warning-option]\n");
        assert_eq!(session.ok(&format!("aspen++ -c {unknown} x.cpp")).stderr, said);
        assert_eq!(session.ok(&format!("aspen++ -c {unknown} -Wno-unknown-warning-option x.cpp")).stderr, "");
    }
    for silent in ["-w", "-Wno-unused-command-line-argument", "-Qunused-arguments"] {
        assert_eq!(session.ok(&format!("aspen++ {silent} -fsycl-device-obj=spirv -c x.cpp")).stderr, "");
    }
    assert!(session.ok("aspen++ -fsycl-help=gen").stdout.contains("usage: aspen++"));
    assert!(session.ok("aspen++ -fsycl-version").stdout.contains("\naspen++ "));
}

/// Lines with what they may say.
const LINES: &[(&str, &str)] = &[
    ("-fsycl -fsycl-targets=spir64 -Wall -O3 -std=c++17 -fsycl-unnamed-lambda -ffast-math x.cpp -lm -o a.out", ""),
    ("-fsycl -O2 -fno-fast-math -march=native -MMD -pthread -c x.cpp -o x.o", ""),
    ("-fsycl -fopenmp -O3 -Wno-unknown-pragmas -c x.cpp", ""),
    ("-fsycl -fsycl-targets=spir64 -Xs '-device pvc' -static-libgcc -Wno-unused x.cpp", "warning: '-Xs' is not used"),
    ("-fsycl -fsycl-targets=native_cpu -fsycl-device-code-split=per_kernel -g -O0 -fno-omit-frame-pointer x.cpp", ""),
    ("-fsycl -fPIC -shared -Wall -Wextra -pedantic -DNDEBUG x.cpp -o libx.so", ""),
    (
        "-fsycl -fsycl-id-queries-fit-in-int -fsycl-early-optimizations -fsycl-max-parallel-link-jobs=4 -Ofast x.cpp",
        "'-Ofast' is deprecated",
    ),
    ("-fsycl -fiopenmp -O2 -c x.cpp", ""),
    ("-fno-sycl -fsycl -c x.cpp", ""),
    ("-fsycl -fsycl-targets=spir64 -Xs '-device pvc' -fno-sycl -std=c++11 -pedantic-errors -c x.cpp", ""), // no SYCL, which wants C++17
    ("-fsycl -fp-model=precise -fp-model precise -O2 x.cpp", ""),
    ("-fsycl -fno-sycl-rdc -fsycl-device-lib=all -fvisibility=hidden -ffunction-sections -Wl,--gc-sections x.cpp", ""),
    ("-fsycl -Xsycl-target-frontend -DX -fsycl-dead-args-optimization -isystem . x.cpp", ""),
    ("-fsycl -xHost -no-prec-div -funroll-loops -fno-strict-aliasing -c x.cpp", ""),
    ("-fsycl -fsycl-targets=nvptx64-nvidia-cuda -Xsycl-target-backend --cuda-gpu-arch=sm_80 -O3 -c x.cpp", ""),
    ("-fsycl -fsycl-targets=spir64_x86_64 -Xsycl-target-backend=spir64_x86_64 '-march=avx2' x.cpp", ""),
    ("-fsycl -fsycl-targets=spir64-unknown-unknown,native_cpu -Wl,--as-needed -Wl,-rpath,. -L. x.cpp", ""),
    ("-fsycl -fno-sycl-early-optimizations -O2 x.cpp", "warning: '-fno-sycl-early-optimizations' is not used"),
    ("-fsycl x.c -o b.out", "treating 'c' input as 'c++'"),
    ("-fsycl -Wno-deprecated x.c -c", ""),
    ("-fsycl -x c++ x.c -c -o y.o", ""),
    ("-fsycl -ansi -xCORE-AVX512 -c x.cpp", "'-ansi' is taken for '-std=c++17', since SYCL 2020 is written in C++17"),
    ("-fsycl -fsycl-dump-device-code=dumped -std=gnu++20 -O1 -fno-exceptions x.cpp", ""),
    ("-fsycl --intel -static-intel -qopt-report=3 -c x.cpp", "'-qopt-report=3' is not used"),
];

#[test]
fn lines_of_makefiles() {
    let session = Session::new(&[("x.cpp", PROGRAM), ("x.c", PROGRAM)]);
    for (line, says) in LINES {
        let said = session.ok(&format!("aspen++ {line}"));
        assert!(said.stderr.contains(says) && (says.is_empty() == said.stderr.is_empty()), "{line}: {}", said.stderr);
    }
}

#[test]
fn c_files_are_compiled_as_cpp_is() {
    let kernel = "#include <sycl/sycl.hpp>\nclass k;\nint main() { sycl::queue().single_task<k>([=] {}); }\n";
    let session = Session::new(&[("x.c", kernel)]);
    session.ok("aspen++ -w -fsycl-targets=native_cpu -fsycl-dump-device-code=dumped x.c -o x && ./x");
    assert!(session.ok("aspen inspect x").stdout.contains("k"));
    assert!(session.ok("ls dumped").stdout.contains("native_cpu.so"));
    let said = session.ok("aspen++ -fsycl-targets=spir64 -Xsycl-target-backend=spir64 -cl-opt-disable -x c++ x.c -o x");
    assert!(said.stderr.contains("warning: '-Xsycl-target-backend=spir64' is not used"), "{}", said.stderr);
    assert!(session.bad(1, "aspen++ -x c x.c -o x", &["sycl/sycl.hpp"]).stderr.contains("error"));
}

/// Whoever runs an entry's command gets the same object, with the code of its targets.
#[test]
fn entries_of_a_compilation_database_repeat_the_command() {
    let kernel = "#include <sycl/sycl.hpp>\nclass k;\nint main() { sycl::queue().single_task<k>([=] {}); }\n";
    let session = Session::new(&[("x.cpp", kernel)]);
    session.ok(concat!(
        "aspen++ -w -MJ entry -fsycl -fsycl-targets=native_cpu,spir64_x86_64 -Xsycl-target-backend=spir64_x86_64 '-march=avx2' ",
        "-Xsycl-target-frontend '-DA -DB' -fsycl-device-code-split=per_kernel -Wno-sycl-aspects -std=c++14 -fiopenmp -fp-model precise ",
        "-MMD -MF d -Xarch_host -DC -O1 -j2 -c x.cpp -o x.o"
    ));
    let text = String::from_utf8(session.read("entry")).expect("JSON is UTF-8");
    let entry: serde_json::Value = serde_json::from_str(text.trim_end().trim_end_matches(',')).expect("an entry");
    let words: Vec<&str> = entry["arguments"].as_array().expect("a list").iter().filter_map(|word| word.as_str()).collect();
    let expected = concat!(
        "-w -fsycl -Xarch_device -DA -Xarch_device -DB -fsycl-device-code-split=per_kernel -Wno-sycl-aspects -std=c++17 -fopenmp ",
        "-ffp-model=precise -Xarch_host -DC -O1 -fsycl-targets=native_cpu,spir64_x86_64,x86_64_v3 -c x.cpp -o x.o"
    );
    assert_eq!(words[1..].join(" "), expected);
    session.ok(&format!("mv x.o first.o && aspen++ {expected} && cmp x.o first.o"));
}
