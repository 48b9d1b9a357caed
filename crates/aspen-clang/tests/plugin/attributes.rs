//! Which attributes are found where, with which values. Source: S0, S1, SYCL 2020 section 5.8; DESIGN §7.15, §7.19, §8.

use crate::support::{Clang, Outcome, Pass, declared, numbers, place, text};

/// Compiles for the device and compares what each function or kernel (`kernel:` in front) declares.
fn check(source: &str, expected: &[(&str, Option<&[u64]>)]) -> Outcome {
    let outcome = Clang::new(Pass::Analysis).argument("report=report").run(source).good();
    assert!(!outcome.stderr.contains("error:"), "{}", outcome.stderr);
    for (name, aspects) in expected {
        let function = name.strip_prefix("kernel:").map_or_else(|| outcome.function(name), |kernel| outcome.body(kernel));
        assert_eq!(declared(function).as_deref(), *aspects, "{name}");
    }
    let host = Clang::new(Pass::Host).run(source).good();
    assert_eq!(host.stderr, "", "the host pass says nothing");
    outcome
}

#[test]
fn every_position() {
    let outcome = check(
        "using sycl::aspect;
[[sycl::device_has(aspect::fp16)]] SYCL_EXTERNAL void pos_front(int *p) { *p = 1; }
SYCL_EXTERNAL void pos_name [[sycl::device_has(aspect::fp64)]] (int *p) { *p = 2; }
SYCL_EXTERNAL void pos_type(int *p) noexcept [[sycl::device_has(aspect::image)]] { *p = 2; }
struct Obj {
  int v;
  [[sycl::device_has(aspect::atomic64)]] int pos_member(int x) const { return v + x; }
  [[sycl::device_has(aspect::gpu)]] static int pos_static(int x) { return x * 3; }
  template <class T> [[sycl::device_has(aspect::cpu)]] T pos_tmember(T x) const { return x + v; }
  Obj(int v) [[sycl::device_has(aspect::custom)]] : v(v) {}
  operator int() const [[sycl::device_has(aspect::emulated)]] { return v; }
};
struct FnFront { int *p; [[sycl::device_has(aspect::fp16)]] void operator()() const { p[0] = 1; } };
struct FnName { int *p; void operator() [[sycl::device_has(aspect::fp64)]] () const { p[0] = 1; } };
struct FnType { int *p; void operator()() const [[sycl::device_has(aspect::atomic64)]] { p[0] = 1; } };
class l_type; class l_mut; class f_front; class f_name; class f_type; class calls; class plain; class l_macro;
#define NEEDS [[sycl::device_has(aspect::gpu)]]
void host(int *p) {
  launch<l_type>([=]() [[sycl::device_has(aspect::fp16, aspect::gpu)]] { p[0] = 1; });
  launch<l_mut>([=]() noexcept [[sycl::device_has(aspect::cpu)]] { p[0] = 1; });
  launch<l_macro>([=]() NEEDS { p[0] = 1; });
  launch<f_front>(FnFront{p});
  launch<f_name>(FnName{p});
  launch<f_type>(FnType{p});
  launch<calls>([=]() { Obj o(p[0]); p[1] = o.pos_member(1) + Obj::pos_static(2) + o.pos_tmember<int>(3) + (int)o.pos_tmember<short>(4) + o; });
  launch<plain>([=]() { pos_front(p); pos_name(p); pos_type(p); });
}",
        &[
            ("pos_front", Some(&[5])),
            ("pos_name", Some(&[6])),
            ("pos_type", Some(&[9])),
            ("10pos_member", Some(&[27])),
            ("pos_static", Some(&[2])),
            ("pos_tmemberIiE", Some(&[1])),
            ("pos_tmemberIsE", Some(&[1])),
            ("Obj::Obj", Some(&[4])),
            ("Obj::operator int", Some(&[38])),
            ("kernel:l_type", Some(&[2, 5])),
            ("kernel:l_mut", Some(&[1])),
            ("kernel:l_macro", Some(&[2])),
            ("kernel:f_front", Some(&[5])),
            ("kernel:f_name", Some(&[6])),
            ("kernel:f_type", Some(&[27])),
            ("kernel:calls", None),
            ("kernel:plain", None),
        ],
    );
    assert_eq!(outcome.used("calls"), [1, 2, 4, 27, 38], "what the callees declare");
    assert!(outcome.used("f_front").is_empty(), "the own declared set never enters the used set");
    assert_eq!(place(&outcome.function("pos_front")["declared"]), "t.cpp:3:3");
    assert_eq!(place(&outcome.function("pos_type")["declared"]), "t.cpp:5:48");
    assert_eq!(place(&outcome.body("l_macro")["declared"]), "t.cpp:22:25", "a macro's place is where it is used");
}

#[test]
fn the_lambda_introducer() {
    let source = "class K; class L;
void host(int *p) {
  launch<K>([=] [[sycl::device_has(sycl::aspect::fp64)]] () { p[0] = 1; });
  launch<L>([=] [[sycl::device_has(sycl::aspect::fp16)]] { p[0] = 1; });
}";
    check(source, &[("kernel:K", Some(&[6])), ("kernel:L", Some(&[5]))]);
}

/// A variable whose value alone is asked for is not captured, as in `int x[n]`.
#[test]
fn local_constants() {
    let outcome = check(
        "class K; class G;
void host(int *p) {
  constexpr int n = 8;
  const unsigned short w = 16;
  launch_items<K>([p](sycl::nd_item<1>) [[sycl::reqd_sub_group_size(n)]] [[sycl::reqd_work_group_size(w, n, w)]] { *p = 1; });
  launch_items<G>([p](sycl::nd_item<1>) [[intel::reqd_sub_group_size(n)]] { *p = 1; });
}",
        &[],
    );
    assert_eq!(outcome.body("K")["reqd_sub_group_size"]["size"], 8);
    assert_eq!(outcome.body("K")["reqd_work_group_size"]["dims"].to_string(), "[16,8,16]");
    assert_eq!(outcome.body("G")["reqd_sub_group_size"]["size"], 8);
}

#[test]
fn template_arguments() {
    let outcome = check(
        "using sycl::aspect;
template <aspect A> [[sycl::device_has(A)]] void t_one(int *p) { *p = (int)A; }
template <aspect... A> [[sycl::device_has(A...)]] void t_pack(int *p) { *p = 1; }
template <class T> struct traits { static constexpr aspect a = aspect::cpu; };
template <> struct traits<long> { static constexpr aspect a = aspect::atomic64; };
template <class T> [[sycl::device_has(traits<T>::a)]] void t_dep(T *p) { *p = 1; }
template <class T> [[sycl::device_has(aspect::image)]] void t_spec(T *p) { *p = 1; }
template <> void t_spec<long>(long *p) { *p = 2; }
template <> [[sycl::device_has(aspect::gpu)]] void t_spec<short>(short *p) { *p = 2; }
template <bool B> struct Fn { int *p; [[sycl::device_has(B ? aspect::fp16 : aspect::fp64)]] void operator()() const { *p = B; } };
template <int N> struct Sg { int *p; [[sycl::reqd_sub_group_size(N)]] void operator()(sycl::nd_item<1>) const { *p = N; } };
template <aspect A, class T> void lambda(T *p) { launch([=]() [[sycl::device_has(A)]] { *p = 1; }); }
class t; class ft; class ff; class s8; class s32;
void host(int *p, long *l, short *s) {
  launch<t>([=]() {
    t_one<aspect::fp16>(p); t_one<aspect::gpu>(p); t_dep(p); t_dep(l); t_pack<aspect::cpu, aspect::gpu>(p); t_pack<>(p);
    t_spec(p); t_spec(l); t_spec(s);
  });
  launch<ft>(Fn<true>{p});
  launch<ff>(Fn<false>{p});
  launch_items<s8>(Sg<8>{p});
  launch_items<s32>(Sg<32>{p});
  lambda<aspect::emulated>(p);
}",
        &[
            ("5t_oneILN4sycl2v16aspectE5E", Some(&[5])),
            ("5t_oneILN4sycl2v16aspectE2E", Some(&[2])),
            ("t_pack<sycl::aspect::cpu, sycl::aspect::gpu>", Some(&[1, 2])),
            ("t_pack<>", Some(&[])),
            ("5t_depIi", Some(&[1])),
            ("5t_depIl", Some(&[27])),
            ("6t_specIi", Some(&[9])),
            ("6t_specIl", Some(&[9])),
            ("6t_specIs", Some(&[2])),
            ("kernel:ft", Some(&[5])),
            ("kernel:ff", Some(&[6])),
            ("kernel:lambda at t.cpp:13:57", Some(&[38])),
        ],
    );
    assert_eq!(outcome.body("s8")["reqd_sub_group_size"]["size"], 8);
    assert_eq!(outcome.body("s32")["reqd_sub_group_size"]["size"], 32);
    assert_eq!(text(outcome.function("5t_depIl"), "name"), "t_dep<long>");
}

#[test]
fn spellings() {
    for standard in ["-std=c++17", "-std=c++20", "-std=c++23"] {
        let source = "
namespace other { template <class... T> constexpr int has(T...) { return 1; } }
[[sycl::requires(sycl::aspect::fp16)]] SYCL_EXTERNAL void rq_plain(int *p) { *p = 1; }
[[sycl::requires(has(sycl::aspect::fp16))]] SYCL_EXTERNAL void rq_has(int *p) { *p = 1; }
[[sycl::requires(sycl::has(sycl::aspect::fp64, sycl::aspect::fp16))]] SYCL_EXTERNAL void rq_two(int *p) { *p = 1; }
[[sycl::requires(has())]] SYCL_EXTERNAL void rq_none(int *p) { *p = 1; }
[[__sycl__::__device_has__(sycl::aspect::gpu)]] SYCL_EXTERNAL void underscores(int *p) { *p = 1; }
[[using sycl: device_has(sycl::aspect::gpu), reqd_sub_group_size(4)]] SYCL_EXTERNAL void used(int *p) { *p = 1; }
[[sycl::device_has(sycl::aspect::gpu), clang::noinline, sycl::reqd_work_group_size(7)]] SYCL_EXTERNAL void mixed(int *p) { *p = 1; }
struct [[sycl::requires(has(sycl::aspect::gpu))]] rq_type { int v; };
class kn_rq; class kn_rt;
void host(int *p) {
  launch<kn_rq>([=]() [[sycl::requires(has(sycl::aspect::atomic64))]] { p[0] = other::has(1, 2); });
  launch<kn_rt>([=]() { rq_type t{p[1]}; p[0] = t.v; });
}";
        let outcome = Clang::new(Pass::Analysis).flag(standard).argument("report=report").run(source).good();
        assert_eq!(outcome.stderr, "");
        let expected: [(&str, &[u64], &str); 7] = [
            ("rq_plain", &[5], "sycl::requires"),
            ("rq_has", &[5], "sycl::requires"),
            ("rq_two", &[5, 6], "sycl::requires"),
            ("rq_none", &[], "sycl::requires"),
            ("underscores", &[2], "sycl::device_has"),
            ("4used", &[2], "sycl::device_has"),
            ("5mixed", &[2], "sycl::device_has"),
        ];
        for (name, aspects, spelling) in expected {
            let function = outcome.function(name);
            assert_eq!(declared(function).as_deref(), Some(aspects), "{name}");
            assert_eq!(text(&function["declared"], "spelling"), spelling, "{name}");
        }
        assert_eq!(place(&outcome.function("4used")["declared"]), "t.cpp:9:15");
        assert_eq!(outcome.function("4used")["reqd_sub_group_size"]["size"], 4);
        assert_eq!(numbers(&outcome.function("5mixed")["reqd_work_group_size"]["dims"]), [7]);
        assert!(outcome.ir.contains("noinline"), "attributes of others stay");
        assert_eq!(declared(outcome.body("kn_rq")), Some(vec![27]));
        assert_eq!(outcome.used("kn_rt"), [2], "on a class requires(has()) is uses_aspects");
    }
}

#[test]
fn sizes() {
    let outcome = check(
        "template <int X, int... R> struct Wg { int *p; void operator()(sycl::nd_item<1>) const [[sycl::reqd_work_group_size(X, R...)]] { *p = X; } };
class one; class three; class big; class intel; class hints; class named;
void host(int *p) {
  launch_items<one>(Wg<16>{p});
  launch_items<three>(Wg<4, 2, 1>{p});
  launch<big>([=]() [[sycl::reqd_work_group_size(~0ul, 5)]] { *p = 1; });
  launch<intel>([=]() [[intel::reqd_sub_group_size(16)]] { *p = 1; });
  launch<hints>([=]() [[sycl::work_group_size_hint(8, 8), sycl::vec_type_hint(float)]] { *p = 1; });
  launch<named>([=]() [[intel::named_sub_group_size(primary)]] { *p = 1; });
}",
        &[],
    );
    let dims = |kernel| numbers(&outcome.body(kernel)["reqd_work_group_size"]["dims"]);
    assert_eq!(dims("one"), [16]);
    assert_eq!(dims("three"), [4, 2, 1], "in the attribute's order");
    assert_eq!(dims("big"), [u64::MAX, 5]);
    assert_eq!(outcome.body("intel")["reqd_sub_group_size"]["size"], 16);
    for kernel in ["hints", "named"] {
        assert!(outcome.body(kernel)["reqd_work_group_size"].is_null() && outcome.body(kernel)["reqd_sub_group_size"].is_null());
    }
    assert!(outcome.ir.contains("!reqd_work_group_size"), "the kernel entries carry them:\n{}", outcome.ir);
    assert!(!outcome.ir.contains("llvm.global.annotations"));
}

#[test]
fn redeclarations() {
    check(
        "using sycl::aspect;
[[sycl::device_has(aspect::fp16)]] SYCL_EXTERNAL void first(int *p);
class K;
void host(int *p) { launch<K>([=]() { first(p); }); }
void first(int *p) { *p = 1; }
[[sycl::device_has(aspect::cpu), sycl::device_has(aspect::gpu)]] SYCL_EXTERNAL void twice(int *p) { *p = 1; }
[[sycl::device_has(aspect::fp16, aspect::gpu)]] SYCL_EXTERNAL void same(int *p);
[[sycl::requires(has(aspect::gpu, aspect::fp16))]] SYCL_EXTERNAL void same(int *p) { *p = 1; }",
        &[("first", Some(&[5])), ("twice", Some(&[1, 2])), ("same", Some(&[2, 5]))],
    );
}

/// The first declaration must have it, which is worth a warning: it counts all the same. Source: SYCL 2020 §5.8.
#[test]
fn attributes_that_come_late() {
    let source = "using sycl::aspect;
SYCL_EXTERNAL void later(int *p);
template <class T> void special(T *p) { *p = 1; }
template <class T> void generic(T *p);
class K;
void host(int *p) { launch<K>([=]() { later(p); special(p); special((long *)p); generic(p); }); }
[[sycl::device_has(aspect::fp64)]] void later(int *p);
template <> [[sycl::device_has(aspect::gpu)]] void special<short>(short *p) { *p = 2; }
template <class T> [[sycl::device_has(aspect::fp16)]] void generic(T *p) { *p = 1; }
";
    let outcome = Clang::new(Pass::Analysis).argument("report=report").run(source).good();
    assert_eq!(declared(outcome.function("later")).as_deref(), Some([6_u64].as_slice()));
    let host = Clang::new(Pass::Host).run(source).good();
    for said in [
        "8:3: warning: 'sycl::device_has' attribute is missing on the first declaration of 'later' [-Wattributes]",
        "3:20: note: the first declaration is here",
        "10:22: warning: 'sycl::device_has' attribute is missing on the first declaration of 'generic' [-Wattributes]",
    ] {
        assert!(host.stderr.contains(said), "lacks {said}: {}", host.stderr);
    }
    assert_eq!(host.stderr.matches("warning:").count(), 2, "{}", host.stderr);
    assert_eq!(Clang::new(Pass::Host).flag("-Wno-attributes").run(source).good().stderr, "");
}

#[test]
fn partial_specialisations() {
    let outcome = check(
        "namespace mine {
template <class T> class base { public: base(T x) : x(x) {} T get() const { return x; } private: T x; };
template <class T, unsigned long S> class impl : public base<T> { public: using base<T>::base; };
template <class T> class [[__sycl_detail__::__uses_aspects__(sycl::aspect::atomic64)]] impl<T, 8> : public base<T> { public: using base<T>::base; };
template <class T> class ref : public impl<T, sizeof(T)> { public: ref(T x) : impl<T, sizeof(T)>(x) {} };
}
class kp_int; class kp_long; class kp_sizeof;
void host(int *p) {
  launch<kp_int>([=]() { mine::ref<int> r(p[0]); p[1] = r.get(); });
  launch<kp_long>([=]() { mine::ref<long> r(p[0]); p[1] = (int)r.get(); });
  launch<kp_sizeof>([=]() { p[1] = sizeof(mine::ref<long>); });
}",
        &[],
    );
    assert!(outcome.used("kp_int").is_empty());
    assert_eq!(outcome.used("kp_long"), [27]);
    assert!(outcome.used("kp_sizeof").is_empty());
}

#[test]
fn types_and_functions_that_use_aspects() {
    let outcome = check(
        "using sycl::aspect;
namespace lib {
namespace impl { struct h { short bits; }; }
using halfish [[__sycl_detail__::__uses_aspects__(aspect::fp16)]] = impl::h;
class [[sycl_detail::uses_aspects(aspect::gpu, aspect::emulated)]] tile { public: int v[4]; };
[[__sycl_detail__::__uses_aspects__(aspect::custom)]] inline int tile_op(int x) { return x + 1; }
struct [[sycl_detail::uses_aspects(aspect::cpu)]] pod_base { int a; };
struct derived : pod_base { int b; };
union [[sycl_detail::uses_aspects(aspect::accelerator)]] un { int i; float f; };
struct outer { struct [[sycl_detail::uses_aspects(aspect::image)]] nested { int z; }; };
template <class T> struct [[sycl_detail::uses_aspects(sizeof(T) == 8 ? aspect::atomic64 : aspect::fp16)]] sized { T t; };
}
class ku_alias; class ku_class; class ku_fn; class ku_derived; class ku_union; class ku_nested; class ku_ptr; class ku_none; class ku_sized;
void host(int *p, lib::tile *t) {
  launch<ku_alias>([=]() { lib::halfish h{(short)p[0]}; p[1] = h.bits; });
  launch<ku_class>([=]() { lib::tile x{}; x.v[p[0]] = 1; p[1] = x.v[2]; });
  launch<ku_fn>([=]() { p[1] = lib::tile_op(p[0]); });
  launch<ku_derived>([=]() { lib::derived d{{p[0]}, 2}; p[1] = d.b; p[2] = d.a; });
  launch<ku_union>([=]() { lib::un u; u.i = p[0]; p[1] = u.i; });
  launch<ku_nested>([=]() { lib::outer::nested n{p[0]}; p[1] = n.z; });
  launch<ku_ptr>([=]() { p[1] = t != nullptr; });
  launch<ku_none>([=]() { lib::outer o; (void)o; p[1] = 1; });
  launch<ku_sized>([=]() { lib::sized<long> l{p[0]}; p[1] = l.t; });
}",
        &[],
    );
    let expected: [(&str, &[u32]); 9] = [
        ("ku_alias", &[5]),
        ("ku_class", &[2, 38]),
        ("ku_fn", &[4]),
        ("ku_derived", &[1]),
        ("ku_union", &[3]),
        ("ku_nested", &[9]),
        ("ku_ptr", &[]),
        ("ku_none", &[]),
        ("ku_sized", &[27]),
    ];
    for (kernel, aspects) in expected {
        assert_eq!(outcome.used(kernel), aspects, "{kernel}");
    }
    let types = outcome.facts["types"].as_array().expect("a list");
    let of = |name: &str| types.iter().find(|ty| text(ty, "name") == name).map(|ty| numbers(&ty["aspects"]));
    assert_eq!(of("struct.lib::impl::h"), Some(vec![5]));
    assert_eq!(of("class.lib::tile"), Some(vec![2, 38]));
    assert_eq!(of("union.lib::un"), Some(vec![3]));
    assert!(outcome.ir.contains("!intel_types_that_use_aspects"));
}

/// Those of types are no others with a pack than without. Source: DESIGN §7.19, §8.
#[test]
fn packs_on_types() {
    let outcome = check(
        "using sycl::aspect;
template <aspect... A> struct [[sycl::requires(has(A...))]] older { int v; };
template <aspect... A> struct [[using sycl_detail: uses_aspects(A...)]] some { int v; };
template <aspect A, aspect... B> union [[sycl::requires(B..., A)]] more { int v; };
template <aspect... A> struct outer { template <class T> struct [[sycl::requires(A...)]] inner { T v; }; };
template <aspect... A> int local(int x) { struct [[sycl::requires(has(A...))]] own { int v; }; own l{x}; return l.v; }
class ko; class ks; class km; class ki; class kl; class ke;
void host(int *p) {
  launch<ko>([=]() { older<aspect::fp16, aspect::gpu> x{1}; p[0] = x.v; });
  launch<ks>([=]() { some<aspect::fp16> x{1}; p[0] = x.v; });
  launch<km>([=]() { more<aspect::gpu, aspect::cpu> x{1}; p[0] = x.v; });
  launch<ki>([=]() { outer<aspect::fp16>::inner<int> x{1}; p[0] = x.v; });
  launch<kl>([=]() { p[0] = local<aspect::fp16>(1); });
  launch<ke>([=]() { older<> x{1}; p[0] = x.v; });
}",
        &[],
    );
    let expected: [(&str, &[u32]); 6] = [("ko", &[2, 5]), ("ks", &[5]), ("km", &[1, 2]), ("ki", &[5]), ("kl", &[5]), ("ke", &[])];
    for (kernel, aspects) in expected {
        assert_eq!(outcome.used(kernel), aspects, "{kernel}");
    }
}

#[test]
fn variables_that_can_need_something_have_places_and_memory_types() {
    let outcome = check(
        "struct [[sycl_detail::uses_aspects(sycl::aspect::gpu)]] tile { int v; };
SYCL_EXTERNAL int f(double by_value, const double &reference, int n) {
  float small = 1; double array[4] = {by_value}; tile one{n};
  auto inner = [](double hidden) { return hidden; };
  return (int)(small + array[n] + inner(reference)) + one.v + (int)sizeof(double);
}",
        &[("_Z1fdRKdi", None)],
    );
    let function = outcome.function("_Z1fdRKdi");
    let list = function["variables"].as_array().expect("a list");
    let variables: Vec<(&str, String)> = list.iter().map(|variable| (text(variable, "type"), place(variable))).collect();
    let expected = [("double", "t.cpp:3:28"), ("[4 x double]", "t.cpp:4:27"), ("%struct.tile", "t.cpp:4:55")];
    assert_eq!(variables, expected.map(|(ty, place)| (ty, place.to_owned())));
    assert_eq!(function["exported"], true);
}

#[test]
fn the_first_declaration_of_a_file() {
    let first = "void f(int *p) [[sycl::device_has(sycl::aspect::fp16)]] { *p = 1; }\n";
    let conversion = "S::operator bool() const [[sycl::device_has(sycl::aspect::fp16)]] { return a; }\n";
    for (source, file) in [
        ("#include \"own.hpp\"\nSYCL_EXTERNAL void g(int *p) { f(p); }", first),
        ("struct S { bool a; operator bool() const; };\n#include \"own.hpp\"\nSYCL_EXTERNAL bool g(S s) { return s; }", conversion),
    ] {
        let outcome = Clang::new(Pass::Analysis).argument("report=report").file("own.hpp", file).run(source).good();
        let function = outcome.function(if file == first { "_Z1fPi" } else { "_ZNK1ScvbEv" });
        assert_eq!(declared(function).as_deref(), Some(&[5][..]), "{file}{}", outcome.stderr);
    }
}

#[test]
fn operators_that_kernels_inherit() {
    check(
        "struct base { int *p; [[sycl::device_has(sycl::aspect::fp16), sycl::reqd_sub_group_size(8)]] void operator()() const { *p = 1; } };
struct plain : base {};
struct named : base { using base::operator(); };
void f(int *p) { launch<class one>(plain{p}); launch<class two>(named{p}); }",
        &[("kernel:one", Some(&[5])), ("kernel:two", Some(&[5]))],
    );
}
