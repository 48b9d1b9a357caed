//! The rules of S0 that concern LLVM IR, calls through pointers, shared libraries and property sets, one test a rule, named after the
//! heading that sets it. Source: S0, S1; DESIGN §3, §5, §7.5, §7.6, §7.14.

use crate::common::rules::{check_with, kernels, metadata, session, units};

/// Named metadata of types, `!intel_declared_aspects` and `!intel_used_aspects` of functions: numbers, sorted and unique.
#[test]
fn s0_new_llvm_ir_metadata() {
    let source = "\
namespace impl { struct half { short b; }; }
using half [[sycl_detail::uses_aspects(aspect::fp16)]] = impl::half;
class [[sycl_detail::uses_aspects(aspect::image, aspect::gpu, aspect::image)]] amx { public: int v; };
SYCL_EXTERNAL [[sycl::requires(has(aspect::fp64, aspect::fp16))]] void foo(int *p) { half h{1}; *p = h.b; }
SYCL_EXTERNAL [[sycl::device_has()]] void empty(int *p) { *p = 1; }
SYCL_EXTERNAL [[sycl_detail::uses_aspects(aspect::cpu)]] void bar(int *p) { amx a{1}; *p = a.v; foo(p); }
SYCL_EXTERNAL [[sycl::device_has(aspect::custom)]] void elsewhere(int *p);
SYCL_EXTERNAL void plain(int *p) { elsewhere(p); }
SYCL_EXTERNAL [[sycl::reqd_work_group_size(4, 2), sycl::reqd_sub_group_size(8)]] void sized(int *p) { *p = 1; }
";
    let session = session(&[("t.cpp", source)]);
    let flags = "-fsycl-device-only -emit-llvm -S -include prelude.hpp t.cpp";
    for level in ["-O0", "-O2 -g"] {
        session.ok(&format!("aspen++ {level} {flags} -o t.ll"));
        let ir = String::from_utf8(session.read("t.ll")).expect("text");
        let expected = "\
_Z3barPi: intel_used_aspects 1 2 5 6 9
_Z3fooPi: intel_declared_aspects 5 6; intel_used_aspects 5
_Z5emptyPi: intel_declared_aspects
_Z5plainPi: intel_used_aspects 4
_Z5sizedPi: reqd_work_group_size 4 2; work_group_num_dim 2; intel_reqd_sub_group_size 8
_Z9elsewherePi: intel_declared_aspects 4
type !\"class.amx\" 2 9
type !\"struct.impl::half\" 5
";
        assert_eq!(metadata(&ir), expected, "{level}");
    }
}

/// The pass alone creates and augments `!intel_used_aspects` from types and calls, and leaves the declared sets alone.
#[test]
fn s0_new_llvm_ir_pass_to_propagate_aspect_usage() {
    let ir = "\
%\"class.sycl::half\" = type { half }
define spir_func void @by_type(ptr %p) {
  %h = alloca %\"class.sycl::half\"
  ret void
}
define spir_func void @by_double(double %d) !intel_used_aspects !2 {
  ret void
}
define spir_kernel void @k(ptr %p) !intel_declared_aspects !3 {
  call spir_func void @by_type(ptr %p)
  call spir_func void @by_double(double 1.0)
  ret void
}
!intel_types_that_use_aspects = !{!1}
!1 = !{!\"class.sycl::half\", i32 5}
!2 = !{i32 9}
!3 = !{i32 5, i32 6, i32 9}
";
    let session = session(&[("t.ll", ir)]);
    assert_eq!(session.ok("aspen propagate t.ll -o o.ll").stderr, "");
    let out = String::from_utf8(session.read("o.ll")).expect("text");
    let expected = "\
by_double: intel_used_aspects 6 9
by_type: intel_used_aspects 5
k: intel_declared_aspects 5 6 9; intel_used_aspects 5 6 9
type !\"class.sycl::half\" 5
";
    assert_eq!(metadata(&out), expected);
}

/// A virtual call may reach the overriders of its slot, and no other function; without a known slot every function of the type.
#[test]
fn s0_a_kernels_static_call_graph_virtual_calls() {
    check_with(
        "-fsycl-targets=native_cpu,spir64,nvidia_gpu_sm_90 -Wno-sycl-strict",
        "\
struct shape {
  virtual void first(int *p) const { *p = 1; }
  virtual void second(int *p) const { *p = 2; }
};
struct wide : shape { void second(int *p) const override { double d = *p; *p = (int)(d / 3); } };
struct small : shape { void first(int *p) const override { sycl::half h = (float)*p; *p = (int)(float)h; } };
[[sycl::device_has()]] inline void calls(const shape &s, int *p) { s.second(p); }
class k_first; class k_second; class k_direct;
void host(int *p) {
  launch<k_first>([=] { small s; wide w; const shape *x = *p ? (const shape *)&s : &w; x->first(p); });
  launch<k_second>([=] { small s; wide w; calls(*p ? (const shape &)s : w, p); });
  launch<k_direct>([=] { wide w; w.wide::first(p); });
}",
        "k_direct:\nk_first: fp16\nk_second: fp64\n",
        "\
t.cpp:5:67: warning: function 'calls' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]
use is from this call chain:
  calls()
  wide::second() t.cpp:7:70 through a function pointer (one of 2 targets)
t.cpp:7:3: note: aspects of 'calls' are declared here
",
    );
}

/// An exported device function shares an image with what needs the same and gets its own requirements.
#[test]
fn s0_an_exported_device_function() {
    let source = "\
SYCL_EXTERNAL void dbl(int *p) { double d = *p; *p = d; }
SYCL_EXTERNAL void none(int *p) { *p = 1; }
class k; class d;
void host(int *p) { launch<k>([=] { none(p); }); launch<d>([=] { dbl(p); }); }
int main() {}
";
    let session = units(&[("t.cpp", source)]);
    session.ok("aspen++ -fsycl-targets=spir64 -fPIC -shared t.cpp -o libt.so");
    let inspected = session.json("aspen inspect libt.so");
    let mut images: Vec<String> = inspected["images"]
        .as_array()
        .expect("images")
        .iter()
        .map(|image| format!("{} {} {}", image["kernels"][0]["name"], image["exports"], image["requirements"]["aspects"]))
        .collect();
    images.sort();
    assert_eq!(images, [r#""d" ["_Z3dblPi"] ["fp64"]"#, r#""k" ["_Z4nonePi"] []"#]);
    // In a program nobody else can call them: no image is theirs alone.
    session.ok("aspen++ -fsycl-targets=spir64 t.cpp -o t");
    let inspected = session.json("aspen inspect t");
    assert!(inspected["images"].as_array().expect("images").iter().all(|image| image["exports"] == serde_json::json!([])));
}

/// The set's three properties, byte arrays of little-endian numbers; none of them where nothing is needed.
#[test]
fn s0_create_the_device_requirements_property_set() {
    let source = "\
class all; class none; class sub;
void host(int *p) {
  launch_items<all>([=](sycl::nd_item<1>) [[sycl::device_has(aspect::fp64, aspect::fp16), sycl::reqd_work_group_size(8)]] { *p = 1; });
  launch<none>([=] { *p = 1; });
  launch_items<sub>([=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(16)]] { *p = 1; });
}
int main() {}
";
    let session = units(&[("t.cpp", source)]);
    session.ok("aspen++ -fsycl-targets=native_cpu,spir64 t.cpp -o t");
    let inspected = session.json("aspen inspect t");
    for image in inspected["images"].as_array().expect("images") {
        let bytes = |value: &str| serde_json::json!({ "type": "bytes", "value": value });
        let expected = match image["kernels"][0]["name"].as_str() {
            Some("all") => serde_json::json!({ "aspect": bytes("0500000006000000"), "reqd_work_group_size": bytes("0100000008000000") }),
            Some("sub") => serde_json::json!({ "reqd_sub_group_size": bytes("10000000") }),
            _ => serde_json::Value::Null,
        };
        assert_eq!(image["properties"]["SYCL/device-requirements"], expected, "{}", image["name"]);
    }
}

/// A kernel runs although one beside it could not; only the submission of that one throws.
#[test]
fn s0_no_runtime_exception_for_speculative_compilation() {
    let source = "\
#include <cstdio>
class fine; class dbl;
int main(int n, char **) {
  sycl::queue q;
  int *p = sycl::malloc_shared<int>(1, q);
  *p = 0;
  q.single_task<fine>([=] { *p = 7; }).wait();
  std::printf(\"%d\\n\", *p);
  if (n > 1) q.single_task<dbl>([=] { double d = *p; *p = d / 2; }).wait();
}
";
    let mut session = units(&[("t.cpp", source)]);
    session.ok("aspen++ -fsycl-targets=native_cpu -fsycl-device-code-split=off t.cpp -o t");
    session.environment.push(("ASPEN_DEVICE_PROFILE", "intel_gpu_dg1".into()));
    assert_eq!(session.ok("./t").stdout, "7\n");
    let refused = session.run("./t submit");
    assert!(refused.code != Some(0) && refused.stderr.contains("needs aspect fp64"), "{}", refused.stderr);
}

/// Aspects of one translation unit stay on its functions whatever the linker renames: two units have different types of one name.
#[test]
fn s0_assumptions_on_other_phases_of_clang() {
    let unit = |aspect: &str, kernel: &str| {
        format!(
            "namespace {{ struct [[sycl_detail::uses_aspects(aspect::{aspect})]] mark {{ int v; }}; }}\n\
             class {kernel};\nvoid host_{kernel}(int *p) {{ launch<{kernel}>([=] {{ mark m{{*p}}; *p = m.v; }}); }}\n"
        )
    };
    let session = units(&[("a.cpp", &unit("fp16", "a")), ("b.cpp", &unit("fp64", "b")), ("main.cpp", "int main() {}\n")]);
    session.ok("aspen++ -fsycl-targets=native_cpu,spir64 a.cpp b.cpp main.cpp -o t");
    for (target, found) in kernels(&session, "t") {
        assert_eq!(found, "a: fp16\nb: fp64\n", "{target}");
    }
}

/// Requirements are computed once, on SPIR-V: the x86-64 ABI would make `double` of a vector of two floats and drop an empty class, and each
/// target would tell another story. The same in an object and in a program. Source: DESIGN §7.16.
#[test]
fn s0_diagnostics_from_the_fe_compiler_do_not_change_with_the_target() {
    let source = "\
struct [[sycl_detail::uses_aspects(aspect::fp16)]] mark { int v; };
struct [[sycl_detail::uses_aspects(aspect::gpu)]] nothing {};
struct pair { float a, b; };
typedef float f2 __attribute__((ext_vector_type(2)));
static f2 vector(f2 x) { return x + 1.0f; }
static pair two(pair x) { return {x.b, x.a}; }
static int take(nothing) { return 1; }
static float halves(float x) { sycl::half h = x; return h * h; }
class k_vector; class k_pair; class k_empty; class k_double; class k_half; class k_sizes; class k_long;
int main(int n, char **) {
  if (n < 9) return 0;
  sycl::queue q;
  float *p = nullptr;
  q.single_task<k_vector>([=] { f2 v = {p[0], p[1]}; p[0] = vector(v)[1]; });
  q.single_task<k_pair>([=] { p[0] = two({p[0], p[1]}).a; });
  q.single_task<k_empty>([=] { p[0] = take(nothing()); });
  q.single_task<k_double>([=] { p[0] = p[1] * 3.0; });
  q.single_task<k_half>([=] { p[0] = halves(p[1]); });
  q.single_task<k_long>([=] { long double *x = nullptr; p[0] = x != nullptr; });
  q.parallel_for<k_sizes>(sycl::nd_range<1>(8, 8), [=](sycl::nd_item<1>) [[sycl::reqd_work_group_size(8), sycl::reqd_sub_group_size(4)]] {
    mark m{1};
    p[0] = m.v;
  });
}
";
    let expected = "k_double: fp64\nk_empty: gpu\nk_half: fp16\nk_long:\nk_pair:\nk_sizes: fp16 wg=8 sg=4\nk_vector:\n";
    let session = units(&[("t.cpp", source)]);
    session.ok("aspen++ -fsycl-targets=native_cpu,spir64,nvidia_gpu_sm_90 -c t.cpp -o t.o");
    session.ok("aspen++ -fsycl-targets=native_cpu t.cpp -o one");
    session.ok("aspen++ -fsycl-targets=native_cpu,spir64,x86_64 t.cpp -o three");
    for (file, targets) in [("t.o", 3), ("one", 1), ("three", 3)] {
        let found = kernels(&session, file);
        assert_eq!(found.len(), targets, "{file}");
        for (target, found) in found {
            assert_eq!(found, expected, "{file} {target}");
        }
    }
}
