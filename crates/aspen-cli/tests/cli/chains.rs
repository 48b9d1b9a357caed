//! What is said of a source does not depend on how it is compiled: on debug information, optimisation, a precompiled header, the order of
//! functions, the folder or the number of jobs. Source: DESIGN §4, §7.4, §7.14.

use crate::common::Session;
use crate::common::rules::{metadata, said, session};

/// Chains through a header, macros, a template, a constructor, `#line`, and recursion (which `-Wno-sycl-strict` lets pass).
const HEADER: &str = "\
#pragma once
inline void deep(int *p) { double d = *p; *p = (int)(d / 3); }
#define CALL_DEEP(p) deep(p)
template <class T> struct holder {
  T v;
  holder(int *p) : v(*p) { CALL_DEEP(p); }
};
void again(int *p, int n);
inline void once(int *p, int n) { if (n) again(p, n - 1); else deep(p); }
inline void again(int *p, int n) { once(p, n); }
";

const SOURCE: &str = "\
#include \"chain.hpp\"
#define PROMISE(a) [[sycl::device_has(aspect::a)]]
#define DECORATED(name) [[sycl::requires(has(aspect::fp16))]] void name
DECORATED(by_macro)(int *p) { CALL_DEEP(p); }
template <class T> PROMISE(gpu) void by_template(T *p) { holder<T> h(p); *p = h.v; }
#line 100 \"generated.y\"
[[sycl::device_has(aspect::cpu)]] void by_line(int *p) { once(p, 3); }
#line 8 \"t.cpp\"
class k;
void host(int *p) { launch<k>([=]() PROMISE(fp16) { by_macro(p); by_template(p); by_line(p); }); }
";

const WARNINGS: &str = "\
./chain.hpp:2:35: warning: function 'by_macro' uses aspect 'fp64' not listed in 'sycl::requires' [-Wsycl-aspects]
use is from this call chain:
  by_macro()
  deep() t.cpp:4:31
t.cpp:4:1: note: aspects of 'by_macro' are declared here
./chain.hpp:2:35: warning: function 'by_template<int>' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  by_template<int>()
  holder<int>::holder() t.cpp:5:68
  deep() ./chain.hpp:6:28
t.cpp:5:20: note: aspects of 'by_template<int>' are declared here
./chain.hpp:2:35: warning: function 'by_line' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  by_line()
  once() generated.y:100:58
  deep() ./chain.hpp:9:64
generated.y:100:3: note: aspects of 'by_line' are declared here
";

/// The warnings, each with its lines, in an order of their own: that of functions in the module is clang's.
fn sorted(warnings: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for line in warnings.lines() {
        match all.last_mut() {
            Some(last) if !line.contains("warning: ") => *last += &format!("{line}\n"),
            _ => all.push(format!("{line}\n")),
        }
    }
    all.sort();
    all
}

#[test]
fn deep_the_same_text_however_it_is_compiled() {
    let session = session(&[("t.cpp", SOURCE), ("chain.hpp", HEADER)]);
    let text = "#include \"prelude.hpp\"\n#include \"chain.hpp\"\n";
    std::fs::write(session.path("pre.hpp"), text).expect("writable");
    let direct = session.ok("aspen++ -Wno-sycl-strict -include prelude.hpp -c t.cpp -o t.o").stderr;
    let chains: Vec<String> = sorted(&said(&direct));
    // The kernel itself uses fp64 beside fp16, cpu and gpu.
    let own: Vec<&String> = chains.iter().filter(|text| text.contains("function 'k'")).collect();
    assert_eq!(own.len(), 3, "{direct}");
    let others: Vec<String> = chains.iter().filter(|text| !text.contains("function 'k'")).cloned().collect();
    assert_eq!(others, sorted(WARNINGS));
    for flags in ["-g0", "-g -O0", "-O3", "-Os -g -std=c++20", "-fsycl-targets=native_cpu"] {
        let other = session.ok(&format!("aspen++ {flags} -Wno-sycl-strict -include prelude.hpp -c t.cpp -o t.o")).stderr;
        assert_eq!(other, direct, "{flags}");
    }
    session.ok("aspen++ -x c++-header pre.hpp -o pre.pch");
    // clang shows files of a precompiled header by their full names.
    let folder = session.path("").canonicalize().expect("it is there");
    let precompiled = session.ok("aspen++ -Wno-sycl-strict -include-pch pre.pch -c t.cpp -o t.o").stderr;
    assert_eq!(precompiled.replace(&format!("{}/", folder.display()), "./"), direct, "precompiled");
}

/// The pass alone finds the same chains in the module, and again in its own output. (Text is not: attributes have no place there.)
#[test]
fn a_second_run_over_its_own_output_says_the_same() {
    let session = session(&[("t.cpp", SOURCE), ("chain.hpp", HEADER)]);
    session.ok("aspen++ -g -fsycl-device-only -emit-llvm -S -Wno-sycl-strict -include prelude.hpp t.cpp -o t.ll");
    let chains = |stderr: &str| -> Vec<String> {
        // Names are the linker's there: templates with their results, kernels by their symbols.
        let text = said(stderr).replace("'sycl::requires'", "'sycl::device_has'");
        let kept = text.lines().filter(|line| !line.contains("note:")).map(|line| format!("{line}\n")).collect::<String>();
        sorted(&kept)
    };
    let first = session.ok("aspen propagate t.ll -o once.ll").stderr;
    assert_eq!(chains(&first).len(), 6, "{first}");
    for chain in chains(WARNINGS) {
        assert!(chains(&first).contains(&chain), "{chain}\nis not in\n{first}");
    }
    for dialect in ["seed", "dpcpp"] {
        let second = session.ok(&format!("aspen propagate once.ll -o twice.ll --dialect {dialect}")).stderr;
        assert_eq!(second, first, "{dialect}");
        let third = session.ok(&format!("aspen propagate twice.ll -o thrice.ll --dialect {dialect}")).stderr;
        assert_eq!(third, first, "{dialect}, again");
        let text = |name: &str| String::from_utf8(session.read(name)).expect("text").lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        assert!(text("thrice.ll") == text("twice.ll"), "{dialect}");
    }
}

/// Two hundred functions, some in cycles, uses at the ends; the order of their definitions is of no importance.
#[test]
fn the_order_of_functions_is_of_no_importance() {
    let count = 200_usize;
    let function = |index: usize| {
        let callees = [(index * 7 + 3) % count, (index * 13 + 5) % count, index / 2];
        let callees: Vec<usize> = callees.into_iter().filter(|_| !index.is_multiple_of(3)).collect();
        let body = match index % 30 {
            0 => "  %d = sitofp i32 %n to double\n",
            6 => "  %h = alloca %\"class.half\"\n",
            _ => "",
        };
        let declares = if index % 11 == 4 { " !intel_declared_aspects !1" } else { "" };
        let calls: String = callees.iter().map(|callee| format!("  call spir_func void @f{callee}(i32 %n)\n")).collect();
        let kind = if index % 20 == 1 { "spir_kernel" } else { "spir_func" };
        let calls = calls.replace("spir_func void @f", "spir_func void @g");
        (format!("define {kind} void @g{index}(i32 %n){declares} {{\n{body}{calls}  ret void\n}}\n"), kind)
    };
    // Kernels are not called.
    let is_kernel = |index: usize| index % 20 == 1;
    let text = |order: &[usize]| {
        let functions: String = order
            .iter()
            .map(|&index| {
                let (text, _) = function(index);
                text.lines()
                    .filter(|line| {
                        (0..count)
                            .filter(|&callee| is_kernel(callee))
                            .all(|callee| !line.contains(&format!("call spir_func void @g{callee}(")))
                    })
                    .map(|line| format!("{line}\n"))
                    .collect::<String>()
            })
            .collect();
        format!(
            "%\"class.half\" = type {{ half }}\n{functions}!intel_types_that_use_aspects = !{{!0}}\n!0 = !{{!\"class.half\", i32 5}}\n!1 = !{{i32 9}}\n"
        )
    };
    let session = Session::new(&[]);
    let mut known: Option<(String, Vec<String>)> = None;
    for stride in [1, 7, 33, 199] {
        let order: Vec<usize> = (0..count).map(|index| index * stride % count).collect();
        std::fs::write(session.path("in.ll"), text(&order)).expect("writable");
        let stderr = session.ok("aspen propagate in.ll -o out.ll").stderr;
        let facts = metadata(&String::from_utf8(session.read("out.ll")).expect("text"));
        assert!(facts.contains("intel_used_aspects 5 6"), "{facts}");
        // Without places, ties of chains go to the order of calls, which stays.
        let found = (facts, sorted(&stderr));
        assert!(*known.get_or_insert_with(|| found.clone()) == found, "stride {stride}: {stderr}");
    }
    assert!(known.is_some_and(|(_, warnings)| warnings.len() > 10));
}

#[test]
fn deep_other_folders_and_other_numbers_of_jobs_make_the_same_bytes() {
    let files = [
        ("t.cpp", SOURCE),
        ("chain.hpp", HEADER),
        ("main.cpp", "void host(int *);\nint main(int n, char **) { if (n > 5) host(nullptr); }\n"),
    ];
    let build = |jobs: &str| {
        let session = session(&files);
        session.ok(&format!("aspen++ {jobs} -fsycl-targets=native_cpu,spir64 -Wno-sycl-strict -include prelude.hpp t.cpp main.cpp -o t"));
        session.ok(&format!("aspen++ {jobs} -Wno-sycl-strict -include prelude.hpp -c t.cpp -o t.o && aspen++ -fsycl-device-only -emit-llvm -c -Wno-sycl-strict -include prelude.hpp t.cpp -o t.bc"));
        session.ok("aspen propagate t.bc -o u.bc");
        ["t", "t.o", "t.bc", "u.bc"].map(|name| session.read(name))
    };
    let one = build("-j1");
    for other in [build("-j8"), build("")] {
        for (name, (one, other)) in ["t", "t.o", "t.bc", "u.bc"].iter().zip(one.iter().zip(&other)) {
            assert!(one == other, "{name}");
        }
    }
}
