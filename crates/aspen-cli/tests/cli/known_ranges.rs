//! What the compiler knows of local accessors' ranges from the source around a kernel. A number that it takes for known and that is another
//! one when the program runs gives wrong addresses, so most of the table is of what is not known.

use std::collections::BTreeMap;

use crate::common::Session;

/// A command group's text, which may use `q`, `n` and `o` (a parameter and its copy), and what is known in it.
const CASES: &[(&str, &str, &str)] = &[
    ("constants", "q.submit([&](handler &h) { local_accessor<float, 2> t(range<2>(16, 32), h); RUN; });", "16 32"),
    ("braces", "q.submit([&](handler &h) { local_accessor<float, 2> t{{4, 8}, h}; RUN; });", "4 8"),
    ("one_number", "q.submit([&](handler &h) { local_accessor<float> t(256, h); RUN; });", "256"),
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
    ("generic", "q.submit([&](auto &h) { local_accessor<float, 1> t(7, h); RUN; });", "7"),
    (
        "reduction",
        "int s = 0; { buffer<int> sum(&s, 1); q.submit([&](handler &h) { local_accessor<int, 1> t(9, h); \
      h.parallel_for(nd_range<1>(8, 8), reduction(sum, h, plus<>()), [=](nd_item<1>, auto &r) __attribute__((noinline)) { t[0] = int(t.size()); r += t[0]; }); }); }",
        "9",
    ),
    ("parameter", "q.submit([&](handler &h) { local_accessor<float, 2> t(range<2>(16, n), h); RUN; });", ""),
    ("changed", "int a = 8; a += n; q.submit([&](handler &h) { local_accessor<float> t(a, h); RUN; });", ""),
    ("loop", "for (int a = 8; a < 64; a *= 2) q.submit([&](handler &h) { local_accessor<float> t(a, h); RUN; });", ""),
    (
        "changed_later",
        "range<2> r(8, 8); for (int i = 0; i < 2; ++i) { q.submit([&](handler &h) { local_accessor<float, 2> t(r, h); RUN; }); \
      r = range<2>(4, 4); }",
        "",
    ),
    ("element_changed", "range<2> r(8, 8); r[1] = n; q.submit([&](handler &h) { local_accessor<float, 2> t(r, h); RUN; });", ""),
    (
        "through_reference",
        "int a = 8; auto set = [&] { a = n; }; set(); q.submit([&](handler &h) { local_accessor<float> t(a, h); RUN; });",
        "",
    ),
    ("through_pointer", "int a = 8; int *p = &a; *p = n; q.submit([&](handler &h) { local_accessor<float> t(a, h); RUN; });", ""),
    (
        "accessor_assigned",
        "q.submit([&](handler &h) { local_accessor<float> t(8, h); if (n > 3) t = local_accessor<float>(16, h); RUN; });",
        "",
    ),
    ("accessor_swapped", "q.submit([&](handler &h) { local_accessor<float> t(8, h), u(n, h); t.swap(u); RUN; });", ""),
    ("accessor_copied", "q.submit([&](handler &h) { local_accessor<float> u(8, h), t(u); RUN; });", ""),
    ("narrow", "unsigned char a = 255; q.submit([&](handler &h) { local_accessor<float> t(a + 1, h); RUN; });", ""),
    ("wraps", "unsigned char b = 250, a = b + 10; q.submit([&](handler &h) { local_accessor<float> t(a, h); RUN; });", ""),
    ("negative", "int a = 8; q.submit([&](handler &h) { local_accessor<float> t(size_t(a - 9) + 17, h); RUN; });", ""),
];

#[test]
fn ranges_of_local_accessors() {
    let mut source = String::from(
        "#include <sycl/sycl.hpp>\nusing namespace sycl;\n\
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
    let nodes: BTreeMap<&str, &str> =
        ir.lines().filter_map(|line| line.split_once(" = ")).filter(|(node, _)| node.starts_with('!')).collect();
    for line in ir.lines().filter(|line| line.starts_with("define")) {
        let Some((head, node)) = line.split_once("!aspen.known ") else { continue };
        let numbers = nodes[node.split([' ', '{']).next().unwrap_or_default()].split("i64 ").skip(1);
        let numbers: Vec<&str> = numbers.map(|number| number.trim_matches(|c: char| !c.is_ascii_digit())).collect();
        let (name, _, _) =
            CASES.iter().find(|(name, ..)| head.contains(&format!("case_{name}R")) || head.contains(&format!("in_{name}"))).expect(head);
        known.insert(*name, numbers.chunks(2).map(|pair| pair[1]).collect::<Vec<_>>().join(" "));
    }
    for (name, group, expected) in CASES {
        assert_eq!(known.get(name).map_or("", String::as_str), *expected, "{name}: {group}");
    }
}
