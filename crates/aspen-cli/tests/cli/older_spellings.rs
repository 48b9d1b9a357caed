//! Attributes as SYCL 1.2.1, OpenCL and DPC++ spell them: what they require is required, what they promise is told where nothing keeps the
//! promise, and the others are taken without a word.

use crate::common::rules::{kernels, session, units};

/// One kernel for each spelling of a requirement.
const REQUIRED: &str = "\
class cl_1; class cl_3; class cl_3_of_1; class cl_in_3; class cl_last_of_1; class intel_wg; class gnu_wg; class gnu_in_3; class gnu_twice; class cl_sg;
class intel_rsg; class intel_sg; class intel_primary; class intel_automatic; class gnu_sg; class by_macro; class with_idle; class front;
class in_template; class used;
#define SIMD(N) [[intel::reqd_sub_group_size(N)]]
#define OLD(N) __attribute__((intel_reqd_sub_group_size(N)))
struct Front { int *p; __attribute__((reqd_work_group_size(8, 1, 1))) void operator()(sycl::nd_item<1>) const { *p = 1; } };
template <int N> struct Templated { int *p; __attribute__((reqd_work_group_size(N, 1, 1))) void operator()(sycl::nd_item<1>) const { *p = N; } };
template <class Name, class F> void launch_cube(F f) {
  sycl::queue().parallel_for<Name>(sycl::nd_range<3>({2, 2, 8}, {2, 2, 4}), f);
}
[[cl::intel_reqd_sub_group_size(4)]] inline void used_function(int *p) { *p = 1; }
void host(int *p) {
  launch_items<cl_1>([=](sycl::nd_item<1>) [[cl::reqd_work_group_size(8)]] { *p = 1; });
  launch_cube<cl_3>([=](sycl::nd_item<3>) [[cl::reqd_work_group_size(2, 2, 4)]] { *p = 1; });
  launch_items<cl_3_of_1>([=](sycl::nd_item<1>) [[cl::reqd_work_group_size(8, 1, 1)]] { *p = 1; });
  launch_items<cl_last_of_1>([=](sycl::nd_item<1>) [[cl::reqd_work_group_size(1, 1, 8)]] { *p = 1; });
  launch_cube<cl_in_3>([=](sycl::nd_item<3>) [[cl::reqd_work_group_size(1, 1, 4)]] { *p = 1; });
  launch_items<intel_wg>([=](sycl::nd_item<1>) [[intel::reqd_work_group_size(8)]] { *p = 1; });
  launch_items<gnu_wg>([=](sycl::nd_item<1>) __attribute__((reqd_work_group_size(8, 1, 1))) { *p = 1; });
  launch_cube<gnu_in_3>([=](sycl::nd_item<3>) __attribute__((noinline, __reqd_work_group_size__(1, 2, 4))) { *p = 1; });
  launch_items<gnu_twice>([=](sycl::nd_item<1>) __attribute__((reqd_work_group_size(8, 1, 1), intel_reqd_sub_group_size(8))) { *p = 1; });
  launch<cl_sg>([=]() [[cl::intel_reqd_sub_group_size(16)]] { *p = 1; });
  launch<intel_rsg>([=]() [[intel::reqd_sub_group_size(16)]] { *p = 1; });
  launch<intel_sg>([=]() [[intel::sub_group_size(32)]] { *p = 1; });
  launch<intel_primary>([=]() [[intel::sub_group_size(primary)]] { *p = 1; });
  launch<intel_automatic>([=]() [[intel::sub_group_size(automatic)]] { *p = 1; });
  launch<gnu_sg>([=]() OLD(8) { *p = 1; });
  launch<by_macro>([=]() SIMD(8) { *p = 1; });
  launch<with_idle>([=]() [[intel::kernel_args_restrict, intel::reqd_sub_group_size(8), intel::num_simd_work_items(4)]] { *p = 1; });
  launch_items<front>(Front{p});
  launch_items<in_template>(Templated<4>{p});
  launch<used>([=]() { used_function(p); });
}
";

const EXPECTED: &str = "\
by_macro: sg=8
cl_1: wg=8
cl_3: wg=2x2x4
cl_3_of_1: wg=8
cl_in_3: wg=1x1x4
cl_last_of_1: wg=8
cl_sg: sg=16
front: wg=8
gnu_in_3: wg=1x2x4
gnu_sg: sg=8
gnu_twice: wg=8 sg=8
gnu_wg: wg=8
in_template: wg=4
intel_automatic:
intel_primary:
intel_rsg: sg=16
intel_sg: sg=32
intel_wg: wg=8
used:
with_idle: sg=8
";

#[test]
fn requirements_are_required() {
    let session = units(&[("a.cpp", REQUIRED)]);
    for standard in ["c++17", "c++20"] {
        let said = session.ok(&format!("aspen++ -std={standard} -Wall -Wno-unused -c a.cpp -o a.o"));
        assert_eq!(said.stderr, "", "{standard}");
        for (target, found) in kernels(&session, "a.o") {
            assert_eq!(found, EXPECTED, "{standard} {target}");
        }
    }
}

#[test]
fn what_means_nothing_here_is_taken_silently() {
    let source = "\
class a; class b; class c; class d; class e;
using real = float;
struct Fpga { [[intel::fpga_memory, intel::numbanks(4), intel::bankwidth(8)]] int banked[4]; };
#define RESTRICT [[intel::kernel_args_restrict]]
void host(int *p) {
  launch<a>([=]() RESTRICT { *p = 1; });
  launch<b>([=]() [[intel::num_simd_work_items(8), intel::no_global_work_offset(1)]] { *p = 1; });
  launch<c>([=]() [[intel::scheduler_target_fmax_mhz(300)]] {
    [[intel::fpga_register]] int x[4] = {};
    [[intel::ivdep]] for (int i = 0; i < 4; ++i) x[i] = *p;
    [[intel::ivdep(x, 4), intel::initiation_interval(2)]] for (int i = 0; i < 4; ++i) *p += x[i];
    [[intel::disable_loop_pipelining]] while (*p > 3) --*p;
  });
  launch<d>([=]() __attribute__((vec_type_hint(int))) { *p = 1; });
  launch<e>([=]() [[vec_type_hint(real)]] [[cl::work_group_size_hint(8, 1, 1), intel ::
  kernel_args_restrict, cl::vec_type_hint(float), sycl::work_group_size_hint(8)]] { Fpga f; *p = f.banked[0]; });
}
";
    let session = units(&[("a.cpp", source)]);
    let said = session.ok("aspen++ -Wall -Wextra -Wno-unused -Wno-uninitialized -c a.cpp -o a.o");
    assert_eq!(said.stderr, "");
}

#[test]
fn promises_that_nothing_keeps_are_told() {
    let source = "\
class a; class b;
[[intel::device_indirectly_callable]] int callee(int x) { return x; }
void host(int *p) {
  launch_items<a>([=](sycl::nd_item<1>) [[intel::max_work_group_size(1, 1, 8)]] { *p = 1; });
  launch<b>([=]() [[intel::max_global_work_dim(0)]] { *p = 1; });
}
";
    let session = units(&[("a.cpp", source)]);
    let said = session.ok("aspen++ -c a.cpp -o a.o");
    for told in [
        "a.cpp:2:3: warning: 'intel::device_indirectly_callable' attribute has no effect: declare the function SYCL_EXTERNAL",
        "a.cpp:4:43: warning: 'intel::max_work_group_size' attribute is not enforced: the kernel is launched with larger work-groups, too",
        "a.cpp:5:21: warning: 'intel::max_global_work_dim' attribute is not enforced",
    ] {
        assert_eq!(said.stderr.matches(told).count(), 1, "{told}: {}", said.stderr);
    }
    assert_eq!(said.stderr.matches("warning:").count(), 3, "{}", said.stderr);
    for silent in ["-w", "-Wno-ignored-attributes"] {
        assert_eq!(session.ok(&format!("aspen++ {silent} -c a.cpp -o a.o")).stderr, "", "{silent}");
    }
    session.bad(1, "aspen++ -Werror -c a.cpp -o a.o", &["error: 'intel::max_work_group_size' attribute is not enforced"]);
}

#[test]
fn sycl_device_is_sycl_external() {
    let session = units(&[
        ("a.cpp", "__attribute__((sycl_device)) int shared(int x) { return x + 1; }\n"),
        (
            "b.cpp",
            "#define DEVICE extern __attribute__((sycl_device))\nDEVICE int shared(int);\nclass k;\nint main() {\n  sycl::queue q;\n  \
             int *p = sycl::malloc_shared<int>(1, q);\n  q.single_task<k>([=] { *p = shared(2); }).wait();\n  return *p == 3 ? 0 : 1;\n}\n",
        ),
    ]);
    let said = session.ok("aspen++ -fsycl-targets=native_cpu a.cpp b.cpp -o program && ./program");
    assert_eq!(said.stderr, "");
}

/// Wherever DPC++'s may stand; what it may not stand at is an error, as clang's own attribute says it.
#[test]
fn deep_sycl_external_stands_anywhere() {
    let source = "\
#include <sycl/sycl.hpp>
SYCL_EXTERNAL extern \"C\" double declared();
inline SYCL_EXTERNAL int behind_inline() { return 1; }
int SYCL_EXTERNAL behind_type() { return 1; }
extern SYCL_EXTERNAL int behind_extern() { return 1; }
extern \"C\" { SYCL_EXTERNAL int in_c() { return 1; } }
template <class T> SYCL_EXTERNAL T of_template(T x) { return x; }
template SYCL_EXTERNAL int of_template<int>(int);
struct members {
  SYCL_EXTERNAL int inside() { return 1; }
  SYCL_EXTERNAL static int of_class();
  SYCL_EXTERNAL int outside() const;
};
SYCL_EXTERNAL int members::of_class() { return 2; }
int members::outside() const { return 1; }
[[sycl::device_has(sycl::aspect::cpu)]] SYCL_EXTERNAL int after_list() { return 1; }
SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::cpu)]] int before_list() { return 1; }
";
    let session = session(&[("a.cpp", source)]);
    session.ok("aspen++ -fsycl-targets=native_cpu -c a.cpp -o a.o");
    let shown = session.ok("aspen inspect a.o").stdout;
    let exports: Vec<&str> = shown.lines().filter_map(|line| line.trim().strip_prefix("exports ")).collect();
    for name in "behind_inline behind_type behind_extern in_c of_template inside of_class outside after_list before_list".split(' ') {
        assert!(exports.iter().any(|export| export.contains(name)), "{name} is not among {exports:?}");
    }
    assert_eq!(exports.len(), 10, "{exports:?}");
    for (line, error) in [
        ("SYCL_EXTERNAL static int f();", "can only be applied to functions with external linkage"),
        ("namespace { SYCL_EXTERNAL int f() { return 1; } }", "can only be applied to functions with external linkage"),
        ("SYCL_EXTERNAL int variable;", "'SYCL_EXTERNAL' only applies to functions and to variables of type 'device_global'"),
        ("struct SYCL_EXTERNAL type {};", "'SYCL_EXTERNAL' only applies to functions and"),
    ] {
        std::fs::write(session.path("t.cpp"), format!("#include <sycl/sycl.hpp>\n{line}\n")).expect("writable");
        session.bad(1, "aspen++ -c t.cpp -o no.o", &[error]);
    }
}

#[test]
fn deep_faulty_ones_are_errors() {
    let session = session(&[]);
    for (line, error) in [
        ("[[cl::reqd_work_group_size(0)]] void f();", "'cl::reqd_work_group_size' attribute takes sizes greater than zero, not 0"),
        ("[[intel::sub_group_size(1.5)]] void f();", "attribute takes integers, not 'double'"),
        (
            "[[cl::reqd_work_group_size(4, 1, 1)]] void f(sycl::nd_item<1>); [[sycl::reqd_work_group_size(8)]] void f(sycl::nd_item<1>) {}",
            "'sycl::reqd_work_group_size' attribute contradicts an earlier declaration of 'f'",
        ),
    ] {
        std::fs::write(session.path("t.cpp"), format!("{line}\n")).expect("writable");
        session.bad(1, "aspen++ -include prelude.hpp -c t.cpp -o no.o", &[error]);
    }
    std::fs::write(
        session.path("t.cpp"),
        "[[cl::reqd_work_group_size(4, 1, 1)]] void f(sycl::nd_item<1>); [[sycl::reqd_work_group_size(4)]] void f(sycl::nd_item<1>) {}\n",
    )
    .expect("writable");
    session.ok("aspen++ -include prelude.hpp -c t.cpp -o t.o");
}
