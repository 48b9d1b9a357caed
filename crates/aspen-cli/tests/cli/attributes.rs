//! Attributes in every position that S0, S1 and SYCL 2020 know, through the installed commands: the same in C++17, 20 and 23 and through a
//! precompiled header. Source: S0 "Changes to the DPC++ front-end"; SYCL 2020 §5.8; DESIGN §7.9, §7.15, §7.19.

use crate::common::rules::{kernels, said, session};

/// What is decorated, and where; each aspect says by which declaration it was found.
const DECLARATIONS: &str = "\
#define NEEDS_GPU [[sycl::device_has(aspect::gpu)]]
namespace lib { namespace impl { struct bits { short b; }; struct others { short b; }; } template <class T> struct boxed { T v; }; }
using small [[sycl_detail::uses_aspects(aspect::fp16)]] = lib::impl::bits;
typedef small small_again;
template <class T> using box = lib::boxed<T>;
struct [[sycl_detail::uses_aspects(aspect::gpu)]] marked { int v; };
using marked_alias = marked;
template <class T> using marked_if = marked;
union [[sycl_detail::uses_aspects(aspect::image)]] either { int i; float f; };
struct outer { struct [[sycl_detail::uses_aspects(aspect::cpu)]] inner { int v; }; enum class kind { one = 1 }; int v; };
template <class T> struct [[sycl_detail::uses_aspects(sizeof(T) == 8 ? aspect::atomic64 : aspect::fp16)]] by_size { T v; };
template <> struct [[sycl_detail::uses_aspects(aspect::accelerator)]] by_size<char> { char v; };
struct maker {
  int v;
  [[sycl::device_has(aspect::gpu)]] maker(int v) : v(v) {}
  [[sycl::device_has(aspect::cpu)]] ~maker() {}
  [[sycl::device_has(aspect::image)]] operator int() const { return v; }
  [[sycl::device_has(aspect::custom)]] int method() const { return v; }
  [[sycl::device_has(aspect::emulated)]] static int fixed() { return 1; }
  [[sycl::device_has(aspect::accelerator)]] friend int befriended(maker *) { return 2; }
};
struct base { [[sycl::device_has(aspect::gpu)]] virtual int slot() { return 1; } };
struct derived : base { [[sycl::device_has(aspect::cpu)]] int slot() override { return 2; } };
template <class T> [[sycl::device_has(aspect::image)]] int special(T) { return 1; }
template <> [[sycl::device_has(aspect::custom)]] inline int special<long>(long) { return 2; }
template <aspect... A> [[sycl::device_has(A...)]] int packed() { return sizeof...(A); }
[[sycl::device_has(aspect::gpu)]] inline int inherits();
inline int inherits() { return 1; }
[[sycl::device_has(aspect::cpu), sycl::device_has(aspect::gpu)]] [[sycl::device_has(aspect::image)]] inline int united() { return 1; }
[[using sycl: device_has(aspect::custom), reqd_sub_group_size(4)]] inline int using_list() { return 1; }
[[sycl::device_has(aspect::emulated)]] SYCL_EXTERNAL int elsewhere();
NEEDS_GPU inline int by_macro() { return 1; }
[[sycl::device_has()]] inline int nothing() { return 1; }
[[sycl_detail::uses_aspects(aspect::usm_shared_allocations)]] inline int used_function() { return 1; }
struct [[sycl::requires(has(aspect::cpu))]] requiring { int v; };
using requiring_alias [[sycl::requires(has(aspect::gpu))]] = lib::impl::others;
";

/// One kernel for each.
const KERNELS: &str = "\
class k_alias; class k_typedef; class k_template; class k_through; class k_union; class k_inner; class k_enum; class k_size8; class k_size2;
class k_spec; class k_ctor; class k_method; class k_static; class k_friend; class k_virtual; class k_plain; class k_long; class k_pack;
class k_no_pack; class k_inherits; class k_united; class k_using; class k_extern; class k_macro; class k_empty; class k_function;
class k_requires; class k_requires_alias; class k_generic; class k_noexcept; class k_handler; class k_hints; class k_automatic; class k_primary; class k_both;
void host(int *p) {
  launch<k_alias>([=] { lib::boxed<small> x{{1}}; *p = x.v.b; });
  launch<k_typedef>([=] { const small_again x[2] = {}; *p = x[1].b; });
  launch<k_template>([=] { box<marked> x{{1}}; *p = x.v.v; });
  launch<k_through>([=] { marked_if<int> x{1}; marked_alias y{2}; *p = x.v + y.v; });
  launch<k_union>([=] { either x; x.i = 1; *p = x.i; });
  launch<k_inner>([=] { outer::inner x{1}; *p = x.v; });
  launch<k_enum>([=] { outer x{1}; *p = x.v + (int)outer::kind::one; });
  launch<k_size8>([=] { by_size<long> x{1}; *p = x.v; });
  launch<k_size2>([=] { by_size<short> x{1}; *p = x.v; });
  launch<k_spec>([=] { by_size<char> x{1}; *p = x.v; });
  launch<k_ctor>([=] { maker x(1); *p = x; });
  launch<k_method>([=] { *p = reinterpret_cast<maker *>(p)->method(); });
  launch<k_static>([=] { *p = maker::fixed(); });
  launch<k_friend>([=] { *p = befriended(reinterpret_cast<maker *>(p)); });
  launch<k_virtual>([=] { derived x; base *b = &x; *p = b->slot(); });
  launch<k_plain>([=] { *p = special(1); });
  launch<k_long>([=] { *p = special(1l); });
  launch<k_pack>([=] { *p = packed<aspect::gpu, aspect::cpu>(); });
  launch<k_no_pack>([=] { *p = packed<>(); });
  launch<k_inherits>([=] { *p = inherits(); });
  launch<k_united>([=] { *p = united(); });
  launch<k_using>([=] { *p = using_list(); });
  launch<k_extern>([=] { *p = elsewhere(); });
  launch<k_macro>([=]() NEEDS_GPU { *p = by_macro(); });
  launch<k_empty>([=]() [[sycl::device_has()]] { *p = nothing(); });
  launch<k_function>([=] { *p = used_function(); });
  launch<k_requires>([=] { requiring x{1}; *p = x.v; });
  launch<k_requires_alias>([=] { requiring_alias x{1}; *p = x.b; });
  launch_items<k_generic>([=](auto item) [[sycl::device_has(aspect::gpu), sycl::reqd_work_group_size(8)]] { *p = item.get_global_id(0); });
  launch<k_noexcept>([=]() noexcept [[sycl::requires(has(aspect::cpu))]] { *p = 1; });
  launch<k_handler>([=](sycl::kernel_handler) [[sycl::device_has(aspect::gpu), sycl::reqd_sub_group_size(4)]] { *p = 1; });
  launch<k_hints>([=]() [[sycl::work_group_size_hint(8), sycl::vec_type_hint(float)]] { *p = 1; });
  launch<k_automatic>([=]() [[intel::named_sub_group_size(automatic)]] { *p = 1; });
  launch<k_primary>([=]() [[intel::named_sub_group_size(primary)]] { *p = 1; });
  launch_items<k_both>([=](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(4), sycl::reqd_work_group_size(8)]] [[sycl::device_has(aspect::gpu)]] { *p = 1; });
}
";

const EXPECTED: &str = "\
k_alias: fp16
k_automatic:
k_both: gpu wg=8 sg=4
k_ctor: cpu gpu image
k_empty:
k_enum:
k_extern: emulated
k_friend: accelerator
k_function: usm_shared_allocations
k_generic: gpu wg=8
k_handler: gpu sg=4
k_hints:
k_inherits: gpu
k_inner: cpu
k_long: custom
k_macro: gpu
k_method: custom
k_no_pack:
k_noexcept: cpu
k_pack: cpu gpu
k_plain: image
k_primary:
k_requires: cpu
k_requires_alias: gpu
k_size2: fp16
k_size8: atomic64
k_spec: accelerator
k_static: emulated
k_template: gpu
k_through: gpu
k_typedef: fp16
k_union: image
k_united: cpu gpu image
k_using: custom
k_virtual: cpu gpu
";

#[test]
fn every_position_and_through_a_precompiled_header() {
    positions(&["c++17"]);
}

#[test]
fn deep_every_position_in_later_standards() {
    positions(&["c++20", "c++23"]);
}

fn positions(standards: &[&str]) {
    let session = session(&[("a.hpp", DECLARATIONS), ("a.cpp", &format!("#include \"a.hpp\"\n{KERNELS}")), ("b.cpp", KERNELS)]);
    std::fs::write(session.path("pre.hpp"), "#include \"prelude.hpp\"\n#include \"a.hpp\"\n").expect("writable");
    for standard in standards {
        let flags = format!("-std={standard} -Wall -Wextra -Wno-unused -Wno-sycl-strict -fsycl-targets=native_cpu,spir64,nvidia_gpu_sm_90");
        let direct = session.ok(&format!("aspen++ {flags} -include prelude.hpp -c a.cpp -o a.o"));
        assert_eq!(direct.stderr, "", "{standard}");
        session.ok(&format!("aspen++ {flags} -x c++-header pre.hpp -o pre.pch"));
        let precompiled = session.ok(&format!("aspen++ {flags} -include-pch pre.pch -c b.cpp -o b.o"));
        assert_eq!(precompiled.stderr, "", "{standard}, precompiled");
        for object in ["a.o", "b.o"] {
            for (target, found) in kernels(&session, object) {
                assert_eq!(found, EXPECTED, "{standard} {object} {target}");
            }
        }
    }
}

/// The error of a line, and its notes; each line stands alone in a namespace, and is the second of what is called by its number. Nothing is
/// written.
#[test]
fn what_cannot_be_decorated_is_an_error() {
    errors(&[
        ("[[sycl::device_has]] void f();", "2:3: error: 'sycl::device_has' attribute needs a list of aspects in parentheses"),
        (
            "using h [[sycl_detail::uses_aspects(aspect::fp16)]] = short;",
            "2:11: error: 'sycl_detail::uses_aspects' attribute on an alias of 'short' would be lost in templates",
        ),
        (
            "template <class T> struct v {}; template <class T> using a [[sycl_detail::uses_aspects(aspect::fp16)]] = v<T>;",
            "2:62: error: 'sycl_detail::uses_aspects' attribute on an alias of the dependent type 'v<T>' would be lost; put it on the class",
        ),
        (
            "enum [[sycl_detail::uses_aspects(aspect::fp16)]] E { e };",
            "2:8: error: 'sycl_detail::uses_aspects' attribute only applies to functions, classes and aliases of classes",
        ),
        (
            "struct [[sycl::device_has(aspect::fp16)]] S {};",
            "2:10: error: 'sycl::device_has' attribute only applies to functions; a type takes '[[sycl_detail::uses_aspects(...)]]'",
        ),
        (
            "[[intel::named_sub_group_size(sometimes)]] void f();",
            "2:31: error: 'intel::named_sub_group_size' attribute takes 'automatic' or 'primary'",
        ),
    ]);
}

/// What other declarations say is compared at the unit's end, if it has no other errors.
#[test]
fn what_contradicts_is_an_error() {
    errors(&[
        (
            "[[sycl::device_has(aspect::fp16)]] void f(); [[sycl::device_has(aspect::fp64)]] void f() {}",
            "2:48: error: 'sycl::device_has' attribute contradicts an earlier declaration of 'f'\n2:3: note: the earlier attribute is here",
        ),
        (
            "[[sycl::reqd_work_group_size(4)]] void f(); [[sycl::reqd_work_group_size(8)]] void f() {}",
            "2:47: error: 'sycl::reqd_work_group_size' attribute contradicts an earlier declaration of 'f'\n2:3: note: the earlier attribute is here",
        ),
        (
            "[[sycl::reqd_sub_group_size(8), sycl::reqd_sub_group_size(4)]] void f() {}",
            "2:33: error: 'sycl::reqd_sub_group_size' attribute contradicts another one on the same declaration\n2:3: note: the other",
        ),
    ]);
}

fn errors(cases: &[(&str, &str)]) {
    let numbered = |number| format!("t{number}.cpp");
    let unit: String =
        (0..).zip(cases).map(|(n, (line, _))| format!("namespace n{n} {{\n#line 2 \"{}\"\n{line}\n}}\n", numbered(n))).collect();
    let session = session(&[("t.cpp", &unit)]);
    let stderr = session.bad(1, "aspen++ -std=c++20 -include prelude.hpp -c t.cpp -o no.o", &[]).stderr;
    let all: Vec<&str> = stderr.lines().filter(|told| told.contains("error: ") || told.contains("note: ")).collect();
    assert_eq!(all.len(), cases.iter().map(|(_, expected)| expected.lines().count()).sum::<usize>(), "{}", said(&stderr));
    for (n, (line, expected)) in (0..).zip(cases) {
        let told: Vec<&str> = all.iter().copied().filter(|told| told.starts_with(&numbered(n))).collect();
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(told.len(), expected.len(), "{line}\n{}", said(&stderr));
        for (told, expected) in told.iter().zip(expected) {
            assert!(told.replace(&format!("n{n}::"), "").starts_with(&format!("{}:{expected}", numbered(n))), "{line}\n{told}");
        }
    }
    assert!(!session.exists("no.o"));
}
