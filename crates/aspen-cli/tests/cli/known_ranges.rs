//! What the compiler knows of work-groups and of local accessors' ranges from the source around a kernel. A number that it takes for known and
//! that is another one when the program runs gives wrong addresses, so most of the table is of what is not known.

use std::collections::BTreeMap;

use crate::common::Session;

/// A command group's text, which may use `q`, `n` and `o` (a parameter and its copy), and what is known in it.
const CASES: &[(&str, &str, &str)] = &[
    ("constants", "q.submit([&](handler &h) { local_accessor<float, 2> t(range<2>(16, 32), h); RUN; });", "16 32"),
    ("braces", "q.submit([&](handler &h) { local_accessor<float, 2> t{{4, 8}, h}; RUN; });", "4 8"),
    ("one_dimension", "q.submit([&](handler &h) { local_accessor<float> t(256, h); RUN; });", ""),
    ("assigned", "q.submit([&](handler &h) { auto t = local_accessor<float, 3>({1, 2, 3}, h); RUN; });", "1 2 3"),
    (
        "older",
        "q.submit([&](handler &h) { accessor<float, 2, access_mode::read_write, target::local> t(range<2>(5, 6), h); RUN; });",
        "5 6",
    ),
    (
        "variables",
        "int a = 8; const size_t b = a * 2 + 1; range<2> r(a, b); q.submit([&](handler &h) { local_accessor<float, 2> t(r, h); RUN; });",
        "8 17",
    ),
    ("template", "in_template<24>(q);", "24 25"),
    ("generic", "q.submit([&](auto &h) { local_accessor<float, 2> t({7, 9}, h); RUN; });", "7 9"),
    (
        "reduction",
        "int s = 0; { buffer<int> sum(&s, 1); q.submit([&](handler &h) { local_accessor<int, 2> t({9, 2}, h); \
      h.parallel_for(nd_range<1>(8, 8), reduction(sum, h, plus<>()), [=](nd_item<1>, auto &r) __attribute__((noinline)) { t[0][0] = int(t.size()); r += t[0][0]; }); }); }",
        "9 2",
    ),
    ("parameter", "q.submit([&](handler &h) { local_accessor<float, 2> t(range<2>(16, n), h); RUN; });", ""),
    ("changed", "size_t a = 8; a += n; q.submit([&](handler &h) { local_accessor<float, 2> t({4, a}, h); RUN; });", ""),
    ("loop", "for (size_t a = 8; a < 64; a *= 2) q.submit([&](handler &h) { local_accessor<float, 2> t({4, a}, h); RUN; });", ""),
    (
        "changed_later",
        "range<2> r(8, 8); for (int i = 0; i < 2; ++i) { q.submit([&](handler &h) { local_accessor<float, 2> t(r, h); RUN; }); \
      r = range<2>(4, 4); }",
        "",
    ),
    ("element_changed", "range<2> r(8, 8); r[1] = n; q.submit([&](handler &h) { local_accessor<float, 2> t(r, h); RUN; });", ""),
    (
        "through_reference",
        "size_t a = 8; auto set = [&] { a = n; }; set(); q.submit([&](handler &h) { local_accessor<float, 2> t({4, a}, h); RUN; });",
        "",
    ),
    (
        "through_pointer",
        "size_t a = 8; size_t *p = &a; *p = n; q.submit([&](handler &h) { local_accessor<float, 2> t({4, a}, h); RUN; });",
        "",
    ),
    (
        "accessor_assigned",
        "q.submit([&](handler &h) { local_accessor<float, 2> t({4, 8}, h); if (n > 3) t = local_accessor<float, 2>({4, 16}, h); RUN; });",
        "",
    ),
    ("accessor_swapped", "q.submit([&](handler &h) { local_accessor<float, 2> t({4, 8}, h), u({4, size_t(n)}, h); t.swap(u); RUN; });", ""),
    ("accessor_copied", "q.submit([&](handler &h) { local_accessor<float, 2> u({4, 8}, h), t(u); RUN; });", ""),
    (
        "derived",
        "struct padded : local_accessor<float, 2> { padded(size_t n, handler &h) : local_accessor<float, 2>({4, n * 2}, h) {} }; \
      q.submit([&](handler &h) { padded t(8, h); RUN; });",
        "",
    ),
    ("other_sycl", "q.submit([&](handler &h) { local_accessor<float, 2> t(my::sycl::range<2>(16), h); RUN; });", ""),
    (
        "is_constant",
        "static const range<2> r(4, __builtin_is_constant_evaluated() ? 8 : 16); q.submit([&](handler &h) { local_accessor<float, 2> t(r, h); RUN; });",
        "",
    ),
    (
        "bits",
        "unsigned _BitInt(20) b = 2000; q.submit([&](handler &h) { local_accessor<float, 2> t(range<2>(4, b * b / 1000), h); RUN; });",
        "",
    ),
    ("narrow", "unsigned char a = 255; q.submit([&](handler &h) { local_accessor<float, 2> t({4, size_t(a + 1)}, h); RUN; });", ""),
    ("wraps", "unsigned char b = 250, a = b + 10; q.submit([&](handler &h) { local_accessor<float, 2> t({4, a}, h); RUN; });", ""),
    ("negative", "int a = 8; q.submit([&](handler &h) { local_accessor<float, 2> t({4, size_t(a - 9) + 17}, h); RUN; });", ""),
];

/// The same for the work-groups that a lambda is launched in, of which it has the sizes that follow; `K` is the lambda.
const LAUNCHES: &[(&str, &str, &str)] = &[
    ("one", "q.parallel_for(nd_range<1>(n, 64), K(1));", "1 1 64"),
    ("braces", "q.parallel_for(nd_range<2>{{64, 64}, {8, 16}}, K(2));", "1 8 16"),
    ("handler", "q.submit([&](handler &h) { h.parallel_for(nd_range<3>({4, 4, 4}, {1, 2, 4}), K(3)); });", "1 2 4"),
    ("variables", "int w = 32; range<1> l(w * 2); nd_range<1> all(range<1>(n), l); q.parallel_for(all, K(1));", "1 1 64"),
    ("name", "q.parallel_for<class named>(nd_range<1>(n, 64), K(1));", "1 1 64"),
    ("template", "launched_in<8>(q, o);", "1 1 16"),
    ("parameter", "q.parallel_for(nd_range<1>(1024, n), K(1));", ""),
    ("changed", "size_t w = 32; if (n > 5) w = 64; q.parallel_for(nd_range<1>(n, w), K(1));", ""),
    ("range", "q.parallel_for(range<1>(n), [=](id<1> i) { o[i] = i; });", ""),
    ("through_another", "launch(q, nd_range<1>(64, 32), K(1));", ""),
    ("kept", "auto k = K(1); q.parallel_for(nd_range<1>(64, 32), k); q.parallel_for(nd_range<1>(64, 16), k);", ""),
    (
        "reduction",
        "int s = 0; { buffer<int> sum(&s, 1); q.submit([&](handler &h) { h.parallel_for(nd_range<1>(64, 8), reduction(sum, h, plus<>()), \
      [=](nd_item<1>, auto &r) { r += 1; }); }); }",
        "",
    ),
];

#[test]
fn work_groups_of_lambdas() {
    let mut source = String::from(
        "#include <sycl/sycl.hpp>\nusing namespace sycl;\n\
         #define K(D) [=](nd_item<D> i) { o[i.get_global_linear_id()] = i.get_local_linear_id(); }\n\
         template <class F> void launch(queue &q, nd_range<1> how, F f) { q.parallel_for(how, f); }\n\
         template <int N> void launched_in(queue &q, size_t *o) { q.parallel_for(nd_range<1>(128, N * 2), K(1)); }\n",
    );
    for (name, launch, _) in LAUNCHES {
        source += &format!("void case_{name}(queue &q, int n) {{ size_t *o = malloc_shared<size_t>(1024, q); {launch} }}\n");
    }
    let session = Session::new(&[("a.cpp", &source)]);
    let ir = session.ok("aspen++ -O1 -fsycl-targets=native_cpu -fsycl-device-only -S -emit-llvm a.cpp -o -").stdout;
    let known = numbers_of(&ir, "!aspen.work_group ");
    for (name, launch, expected) in LAUNCHES {
        let part = if *name == "template" { "launched_in".into() } else { format!("case_{name}R") };
        let found = known.iter().find(|(head, _)| head.contains(&part)).map_or(String::new(), |(_, numbers)| numbers.join(" "));
        assert_eq!(found, *expected, "{name}: {launch}");
    }
}

/// The numbers of that metadata of each function that has it, by the line that begins its definition.
fn numbers_of(ir: &str, kind: &str) -> Vec<(String, Vec<String>)> {
    let nodes: BTreeMap<&str, &str> =
        ir.lines().filter_map(|line| line.split_once(" = ")).filter(|(node, _)| node.starts_with('!')).collect();
    let functions = ir.lines().filter(|line| line.starts_with("define")).filter_map(|line| line.split_once(kind));
    let read = |(head, node): (&str, &str)| {
        let numbers = nodes[node.split([' ', '{']).next().unwrap_or_default()].split("i64 ").skip(1);
        (head.to_owned(), numbers.map(|number| number.trim_matches(|c: char| !c.is_ascii_digit()).to_owned()).collect())
    };
    functions.map(read).collect()
}

#[test]
fn ranges_of_local_accessors() {
    let mut source = String::from(
        "#include <sycl/sycl.hpp>\n\
         namespace my::sycl { template <int D> struct range { operator ::sycl::range<2>() const { return {4, n + 1}; } size_t n; range(size_t n) : n(n) {} }; }\n\
         using namespace sycl;\n\
         #define RUN h.parallel_for(nd_range<1>(8, 8), [=](nd_item<1> i) __attribute__((noinline)) { o[i.get_global_id(0)] = t.get_range().get(0) + t.size(); })\n\
         template <int N> void in_template(queue &q) {\n\
         size_t *o = malloc_shared<size_t>(8, q); q.submit([&](handler &h) { local_accessor<int, 2> t(range<2>(N, N + 1), h); RUN; }); }\n",
    );
    for (name, group, _) in CASES {
        source += &format!("void case_{name}(queue &q, int n) {{ size_t *o = malloc_shared<size_t>(8, q); {group} }}\n");
    }
    let session = Session::new(&[("a.cpp", &source)]);
    let mut known = BTreeMap::new();
    let ir = session.ok("aspen++ -O1 -fsycl-targets=native_cpu -fsycl-device-only -S -emit-llvm a.cpp -o -").stdout;
    for (head, numbers) in numbers_of(&ir, "!aspen.known ") {
        let (name, _, _) =
            CASES.iter().find(|(name, ..)| head.contains(&format!("case_{name}R")) || head.contains(&format!("in_{name}"))).expect(&head);
        known.insert(*name, numbers.chunks(2).map(|pair| pair[1].as_str()).collect::<Vec<_>>().join(" "));
    }
    for (name, group, expected) in CASES {
        assert_eq!(known.get(name).map_or("", String::as_str), *expected, "{name}: {group}");
    }
}

/// Optimisation between functions may put another parameter in the place of the lambda.
#[test]
fn lambdas_that_lose_their_parameter() {
    let source = r#"#include <sycl/sycl.hpp>
#include <cstdio>
using namespace sycl;
int main() {
  queue q;
  size_t *o = malloc_shared<size_t>(9, q);
  for (int i = 0; i < 9; ++i) o[i] = 1000 + i;
  q.submit([&](handler &h) { local_accessor<float, 2> t({77, 78}, h);
    h.parallel_for(nd_range<1>(1, 1), [o, t](nd_item<1>) __attribute__((noinline)) { o[8] = o[1] + o[2]; }); }).wait();
  std::printf("%zu\n", o[8]);
}
"#;
    let session = Session::new(&[("a.cpp", source)]);
    session.ok("aspen++ -O3 -fsycl-targets=native_cpu a.cpp -o a");
    assert_eq!(session.ok("./a").stdout, "2003\n");
}

/// A device pass may read another source than the host's: work-groups are compared at the launch, ranges at the link.
#[test]
fn deep_passes_that_do_not_read_the_same() {
    let source = r#"#include <sycl/sycl.hpp>
#include <cstdio>
using namespace sycl;
int main() {
  queue q;
#ifdef __SYCL_DEVICE_ONLY__
  const size_t w = 16;
#else
  const size_t w = 32;
#endif
  size_t *o = malloc_shared<size_t>(1, q);
  q.submit([&](handler &h) { local_accessor<float, D> t(SIZE, h);
    h.parallel_for(nd_range<1>(w, w), [=](nd_item<1> i) { if (i.get_local_id(0) == 15) *o = t.size() + i.get_local_range(0); }); }).wait();
  std::printf("%zu\n", *o);
}
"#;
    let session = Session::new(&[("a.cpp", source)]);
    // Of one dimension nothing is counted on, and without optimisation nothing at all.
    for options in ["-O3 -DD=1 -DSIZE=w", "-O3 -DD=2 -DSIZE={w,1} -fno-sycl-known-local-ranges", "-O0 -DD=2 -DSIZE={w,1}"] {
        session.ok(&format!("aspen++ {options} -fsycl-targets=native_cpu a.cpp -o a"));
        assert_eq!(session.ok("./a").stdout, "64\n", "{options}");
    }
    session.bad(
        1,
        "aspen++ -O3 -DD=2 -DSIZE={w,1} -fsycl-targets=native_cpu a.cpp -o a",
        &[
            "a.cpp:13:39: error: kernel 'lambda at a.cpp:13:39' of ",
            "('-fno-sycl-known-local-ranges' leaves them to the launch) the source says otherwise to the host than to native_cpu; ",
        ],
    );
}
