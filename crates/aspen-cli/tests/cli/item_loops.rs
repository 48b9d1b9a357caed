//! Loops over the items of a group against one call an item: the same random kernels both ways, and the same bits. Source: issue 6 "How
//! fast"; `aspen-llvm/shim/items`.
//!
//! Kernels have barriers in nested loops and branches that all items take alike, values and private arrays that live across them, local
//! memory and group algorithms through which items hand each other values, early ends of all items or of some, and functions that are not
//! inlined (some take the item by value), and loops over memory whose neighbours neighbours read. Half of them have the same for sub-groups, and nested loops and branches that only the lanes of a sub-group take alike. Floating point is kept to what is exact, since code for newer processors may fuse multiplications with additions.

use std::fmt::Write as _;

use crate::common::Session;

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Who certainly comes to a statement if any item does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    Alone,
    SubGroup,
    Group,
}

/// Writes the body of one kernel.
struct Kernel<'r> {
    random: &'r mut Random,
    text: String,
    /// Statements that may still come.
    budget: u32,
    names: u32,
    /// Loops around, by who runs them alike.
    loops: Vec<Together>,
    /// Whether there are sub-groups in it.
    lanes: bool,
    /// Whether some items may end: nobody asks for the values of single lanes then.
    ends: bool,
    /// Whether items wait for nobody: these run in strips.
    strips: bool,
}

impl Kernel<'_> {
    /// An unsigned value; differs between items.
    fn value(&mut self) -> String {
        match self.random.below(10) {
            0 => "unsigned(l)".into(),
            8 => {
                let asked = self.random.pick(&[
                    "by_item(it, a)",
                    "by_group(it.get_group(), b)",
                    "asked(it, c)",
                    "by_held(held{it, c})",
                    "noted(it, p)",
                ]);
                if self.lanes && self.random.below(3) == 0 { "by_sub_group(sg, a)".into() } else { asked.into() }
            }
            1 => "unsigned(g)".into(),
            2 => format!("in[(g + {}) % 1024]", self.random.below(99)),
            3 => format!("p[{} % 5]", self.random.pick(&["a", "b", "unsigned(l)", "3u"])),
            4 => format!("(unsigned(f) + {}u)", self.random.below(7)),
            5 => format!("({} * {}u)", self.random.pick(&["a", "b", "c"]), 2 * self.random.below(500) + 1),
            6 => format!("({} >> {})", self.random.pick(&["a", "b", "c"]), self.random.below(20)),
            7 => self.alike(),
            _ => self.random.pick(&["a", "b", "c"]).into(),
        }
    }

    /// The same for all items of a group.
    fn alike(&mut self) -> String {
        match self.random.below(5) {
            0 => "unsigned(w)".into(),
            1 => format!("in[{}]", self.random.below(1024)),
            2 => "u".into(),
            3 => "unsigned(n)".into(),
            _ => format!("{}u", self.random.below(1000)),
        }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn statement(&mut self, together: Together, depth: u32) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let (x, y) = (self.value(), self.value());
        let to = self.random.pick(&["a", "b", "c"]);
        // The last item stays, since its value is broadcast.
        let some_end = format!("if (l + 1 != n && ({x} ^ {y}) % 16 == 5) {{ out[g] = a ^ b; return; }}");
        let in_group = together == Together::Group;
        let choices = match together {
            Together::Alone => 10,
            Together::SubGroup => 40,
            Together::Group if self.lanes => 40,
            Together::Group => 24,
        };
        let choice = self.random.below(choices);
        if choice >= 24 || (choice >= 10 && !in_group) {
            return self.of_lanes(together, depth);
        }
        if self.strips && in_group && matches!(choice, 9..=14 | 21) {
            return self.over_memory(to, &x);
        }
        let line = match choice {
            0 if in_group => return self.over_memory(to, &x),
            0..3 => format!("{to} {} {x} ^ {y};", self.random.pick(&["=", "+=", "-="])),
            3 => format!("p[{x} % 5] += {y};"),
            4 => format!("f = f * 0.5f + float({x} % 256);"),
            5 => format!("if ({x} % {} < {y} % 7) {to} += {x}; else {to} ^= {y};", 2 + self.random.below(6)),
            6 if depth < 4 => {
                let bits = 1 + self.random.below(3);
                return self.nested(&format!("if ({x} & {bits})"), Together::Alone, depth);
            }
            7 if depth < 4 => {
                let i = self.name();
                self.loops.push(Together::Alone);
                self.nested(&format!("for (unsigned {i} = 0; {i} < {x} % 5; ++{i})"), Together::Alone, depth);
                self.loops.pop();
                return;
            }
            9 if !in_group && self.ends => some_end,
            22 | 23 if self.ends => some_end,
            8 if self.loops.last() == Some(&Together::Alone) => format!("if ({x} % 11 == 0) {};", self.random.pick(&["break", "continue"])),
            9 | 10 if in_group => format!(
                "sycl::group_barrier(it.get_group()); m[l] = {x}; sycl::group_barrier(it.get_group()); {to} += m[(l + {} * n + {}) % n];",
                1,
                self.random.below(40)
            ),
            11 => format!(
                "sycl::group_barrier(it.get_group()); m[l] = {x}; sycl::group_barrier(it.get_group()); if (l == 0) for (size_t i = 1; i < n; ++i) m[0] += m[i] * unsigned(i); sycl::group_barrier(it.get_group()); {to} ^= m[0];"
            ),
            12 => format!("{to} += sycl::reduce_over_group(it.get_group(), {x}, sycl::plus<unsigned>());"),
            13 => format!(
                "{to} ^= sycl::inclusive_scan_over_group(it.get_group(), {x}, sycl::{}<unsigned>());",
                self.random.pick(&["plus", "maximum"])
            ),
            14 => format!(
                "{to} += sycl::group_broadcast(it.get_group(), {x}, n - 1); if (sycl::any_of_group(it.get_group(), {y} % 64 == 3)) {to} ^= 5;"
            ),
            15 => format!("u = u * 3u + {};", self.alike()),
            16 if depth < 4 => {
                let condition = self.alike();
                self.nested(&format!("if ({condition} % 3 != 1)"), Together::Group, depth);
                if self.random.below(2) == 0 {
                    self.nested("else", Together::Group, depth);
                }
                return;
            }
            17 | 18 if depth < 3 => {
                let (i, bound) = (self.name(), self.alike());
                self.loops.push(Together::Group);
                self.nested(&format!("for (unsigned {i} = 0; {i} < {bound} % 4 + 1; ++{i})"), Together::Group, depth);
                self.loops.pop();
                return;
            }
            19 if self.loops.last() == Some(&Together::Group) => {
                format!("if ({} % 5 == 2) {};", self.alike(), self.random.pick(&["break", "continue"]))
            }
            21 if depth < 4 => return self.set_by_some(to, &x, &y, depth),
            19 | 20 if self.random.below(3) == 0 => format!("if ({} % 4 == 2) {{ out[g] = a + c; return; }}", self.alike()),
            _ if in_group && !self.strips => format!("{to} ^= exchange(it, &m[0], {x}, p);"),
            _ => format!("{to} -= {x} * 3u;"),
        };
        let _ = writeln!(self.text, "  {line}");
    }

    /// Loops over an array of the item's own whose address goes nowhere: as often for all, filled, copied, or by indices of each item's own.
    fn over_array(&mut self, to: &str, x: &str) {
        let (i, bound, first) = (self.name(), self.alike(), self.random.below(24));
        let line = match self.random.below(6) {
            0 => format!("for (unsigned {i} = 0; {i} < {bound} % 24; ++{i}) r[{i}] = r[{i}] * 3u + {x} ^ {i};"),
            1 => format!("for (unsigned {i} = 1; {i} < {bound} % 24; ++{i}) r[{i}] += r[{i} - 1];"),
            2 => format!("for (unsigned {i} = {bound} % 24; {i} > 0; --{i}) {to} = {to} * 5u + r[{i}];"),
            3 => format!("for (unsigned {i} = 0; {i} < {bound} % 9; ++{i}) r[({x} + {i}) % 24] ^= {to} + {i};"),
            4 => format!(
                "{{ unsigned {i}[24]; std::memcpy({i}, r, sizeof r); {to} += {i}[{x} % 24]; std::memset(r, {first}, 96 - {first} % 4 * 4); r[{first}] = {i}[({first} + 5) % 24]; }}"
            ),
            _ => format!("if ({x} % 4 == 1) r[{first}] += {to}; else {to} ^= r[{x} % 24];"),
        };
        let _ = writeln!(self.text, "  {line}");
    }

    /// A loop over memory of which items that follow each other read neighbours: as often for all, or in steps of the group.
    fn over_memory(&mut self, to: &str, x: &str) {
        if self.random.below(2) == 0 {
            return self.over_array(to, x);
        }
        let (i, bound, first) = (self.name(), self.alike(), self.random.below(5));
        let index = self.random.pick(&["unsigned", "int", "size_t", "long"]);
        let (head, place) = match self.random.below(6) {
            0 => (format!("for ({index} {i} = 0; {i} < {index}({bound} % 20); ++{i})"), format!("{i} * 40 + {index}(l)")),
            1 => (format!("for ({index} {i} = {index}({bound} % 3); {i} > 0; --{i})"), format!("{index}(l) + {i} * {index}(n)")),
            2 => (format!("for ({index} {i} = {index}(l) + {first}; {i} < {index}({bound} % 3000); {i} += {index}(n))"), i.clone()),
            3 => {
                (format!("for ({index} {i} = {index}(l); {i} <= {index}({bound} % 3000); {i} += {index}(n * 2))"), format!("{i} + {first}"))
            }
            4 => (
                format!(
                    "for ({index} {i} = {index}(g); {i} < {index}(n * 2 + {bound} % 999); {i} += {index}(it.get_global_range().size()))"
                ),
                i.clone(),
            ),
            _ => (format!("for ({index} {i} = {index}(l); {i} != {index}(n * ({bound} % 3) + l); {i} += {index}(n))"), i.clone()),
        };
        let body = match self.random.below(4) {
            0 => format!("{to} += in[{place}];"),
            1 => format!("{{ if (in[{place}] % 3 == 1) {to} ^= {x}; else {to} += 3; }}"),
            2 => format!("{{ {to} = {to} * 3u + in[{place}]; t[{place}] += unsigned({i}); }}"),
            _ => format!("for (unsigned j = 0; j < {bound} % 3; ++j) {to} += in[{place} + j * 9] ^ {x};"),
        };
        let _ = writeln!(self.text, "  {head} {body}");
    }

    /// A variable without a value at first, which some items set and the same use when all have met; or one that is broadcast.
    fn set_by_some(&mut self, to: &str, x: &str, y: &str, depth: u32) {
        let (value, is_set) = (self.name(), self.name());
        if self.random.below(3) == 0 {
            let broadcast = format!("{to} += sycl::group_broadcast(it.get_group(), {value}, n - 1);");
            let _ = writeln!(self.text, "  unsigned {value}; if (l + 1 == n) {value} = {x}; {broadcast}");
            return;
        }
        let head = format!("unsigned {value}; const bool {is_set} = {y} % 3 == 0; if ({is_set}) {value} = {x};\n  if (n > 0)");
        self.nested(&head, Together::Group, depth);
        let _ = writeln!(self.text, "  sycl::group_barrier(it.get_group()); if ({is_set}) {to} ^= {value};");
    }

    /// What the lanes of a sub-group do together.
    fn of_lanes(&mut self, together: Together, depth: u32) {
        let (x, y) = (self.value(), self.value());
        let to = self.random.pick(&["a", "b", "c"]);
        let op = self.random.pick(&["plus", "maximum", "bit_xor"]);
        let line = match self.random.below(if self.ends { 7 } else { 10 }) {
            0 => format!(
                "sycl::group_barrier(sg); s[l] = {x}; sycl::group_barrier(sg); {to} += s[l - ln + (ln + {}) % sz];",
                self.random.below(9)
            ),
            1 => format!("{to} ^= sycl::reduce_over_group(sg, {x}, sycl::{op}<unsigned>());"),
            2 => format!("{to} += sycl::inclusive_scan_over_group(sg, {x}, sycl::{op}<unsigned>());"),
            3 => format!("{to} += sycl::exclusive_scan_over_group(sg, {x}, {y} % 2u, sycl::{op}<unsigned>());"),
            4 => format!("if (sycl::any_of_group(sg, {x} % 16 == 3)) {to} += 5; if (sycl::all_of_group(sg, {y} % 8 != 3)) {to} ^= 9;"),
            5 if depth < 4 => {
                let condition = self.alike();
                self.nested(&format!("if ((sg.get_group_linear_id() + {condition}) % 3 != 1)"), Together::SubGroup, depth);
                if self.random.below(2) == 0 {
                    self.nested("else", Together::SubGroup, depth);
                }
                return;
            }
            6 if depth < 3 => {
                let (i, bound) = (self.name(), self.alike());
                self.loops.push(Together::SubGroup);
                let head = format!("for (unsigned {i} = 0; {i} < (sg.get_group_linear_id() + {bound}) % 4; ++{i})");
                self.nested(&head, Together::SubGroup, depth);
                self.loops.pop();
                return;
            }
            7 => format!("{to} += sycl::permute_group_by_xor(sg, {x}, {});", self.random.below(8)),
            8 => format!(
                "{to} ^= sycl::{}(sg, {x}, {});",
                self.random.pick(&["shift_group_left", "shift_group_right"]),
                1 + self.random.below(9)
            ),
            9 => {
                let from = self.alike();
                format!("{to} += sycl::group_broadcast(sg, {x}, {from} % sz) ^ sycl::select_from_group(sg, {y}, (ln * 5 + 3) % sz);")
            }
            _ if together == Together::Group => format!("sycl::group_barrier(it.get_group()); {to} -= {x};"),
            _ => format!("{to} -= {x};"),
        };
        let _ = writeln!(self.text, "  {line}");
    }

    fn nested(&mut self, head: &str, together: Together, depth: u32) {
        let _ = writeln!(self.text, "  {head} {{");
        for _ in 0..1 + self.random.below(3) {
            self.statement(together, depth + 1);
        }
        self.text += "  }\n";
    }
}

/// A group of 1 to 1024 items in 1 to 3 dimensions.
fn shape(random: &mut Random) -> Vec<u64> {
    let dimensions = 1 + random.below(3);
    let mut left = [1, 2, 7, 16, 33, 64, 128, 192, 256, 400, 1024][random.below(11) as usize];
    let mut out = Vec::new();
    for dimension in 0..dimensions {
        let last = dimension + 1 == dimensions;
        let part = if last { left } else { [1, 1, 2, 3, 4, 8][random.below(6) as usize].min(left) };
        left = (left / part).max(1);
        out.push(part);
    }
    if random.below(3) == 0 {
        out.reverse();
    }
    out
}

fn program(seed: u64, kernels: usize) -> String {
    let mut random = Random(seed);
    let mut text = String::from(
        "#include <sycl/sycl.hpp>\n#include <cstdio>\n#include <cstring>\n#include <vector>\ntemplate <int> class k;\n\
         template <int D> __attribute__((noinline)) unsigned exchange(const sycl::nd_item<D> &it, unsigned *m, unsigned x, unsigned (&p)[5]) {\n\
         \x20 const size_t l = it.get_local_linear_id(), n = it.get_local_range().size();\n\
         \x20 sycl::group_barrier(it.get_group());\n  m[n - 1 - l] = x + p[1];\n  sycl::group_barrier(it.get_group());\n\
         \x20 p[2] ^= m[l];\n  return m[l] * 7;\n}\n\
         #define KEPT template <int D> __attribute__((noinline)) unsigned\n\
         KEPT by_item(sycl::nd_item<D> it, unsigned x) { return unsigned(it.get_global_linear_id() * 3 + it.get_local_id(D - 1)) ^ x; }\n\
         KEPT by_group(sycl::group<D> g, unsigned x) { return unsigned(g.get_local_linear_id() * 5 + g.get_group_linear_id()) + x; }\n\
         KEPT asked(const sycl::nd_item<D> &, unsigned x) {\n\
         \x20 const auto it = sycl::ext::oneapi::this_work_item::get_nd_item<D>();\n  return unsigned(it.get_local_id(0) + it.get_global_linear_id()) - x;\n}\n\
         template <int D> struct held { sycl::nd_item<D> it; unsigned x; };\n\
         template <int D> held(sycl::nd_item<D>, unsigned) -> held<D>;\n\
         KEPT by_held(held<D> h) { return unsigned(h.it.get_global_linear_id()) * h.x; }\n\
         KEPT noted(sycl::nd_item<D> it, unsigned (&p)[5]) { return p[it.get_local_linear_id() % 5]++; }\n\
         __attribute__((noinline)) unsigned by_sub_group(sycl::sub_group sg, unsigned x) { return unsigned(sg.get_local_linear_id() * 9 + sg.get_group_linear_id()) ^ x; }\n",
    );
    let mut calls = String::new();
    for index in 0..kernels {
        let local = shape(&mut random);
        let dimensions = local.len();
        let groups: Vec<u64> = local.iter().map(|_| 1 + random.below(2)).collect();
        let list = |values: Vec<u64>| values.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let global = list(local.iter().zip(&groups).map(|(local, groups)| local * groups).collect());
        let items = local.iter().product::<u64>();
        let (lanes, strips, ends) = (index % 3 == 1, index % 3 == 2, random.below(2) == 0);
        let size = [0, 0, 4, 8, 16, 32][random.below(6) as usize];
        let mut kernel = Kernel {
            random: &mut random,
            text: String::new(),
            budget: 14,
            names: 0,
            loops: Vec::new(),
            lanes,
            ends: ends || !lanes,
            strips,
        };
        while kernel.budget > 0 {
            kernel.statement(Together::Group, 0);
        }
        let body = kernel.text;
        let required = if lanes && size > 0 { format!(" [[sycl::reqd_sub_group_size({size})]]") } else { String::new() };
        let sub_group = if lanes {
            " [[maybe_unused]] const auto sg = it.get_sub_group();\n\
             \x20 [[maybe_unused]] const unsigned ln = sg.get_local_linear_id(), sz = sg.get_local_linear_range();\n  s[l] = 0;\n"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "static void run{index}(sycl::queue &q, unsigned *out, const unsigned *in, unsigned *written) {{\n\
             q.submit([&](sycl::handler &h) {{\n sycl::local_accessor<unsigned, 1> m({items}, h), s({items}, h);\n\
             h.parallel_for<k<{index}>>(sycl::nd_range<{dimensions}>({{{global}}}, {{{}}}), [=](sycl::nd_item<{dimensions}> it){required} {{\n\
             \x20 const size_t l = it.get_local_linear_id(), g = it.get_global_linear_id(), n = it.get_local_range().size(), w = it.get_group_linear_id();\n\
             \x20 [[maybe_unused]] unsigned *const t = written + w * 4200;\n\
             \x20 unsigned a = unsigned(l) * 3, b = in[g % 1024], c = 7, u = unsigned(w) + 1, p[5] = {{1, a, b, 4, 5}}, r[24] = {{}};\n  float f = 1.0f;\n\
             \x20 m[l] = 0;\n{sub_group}\
             {body}  out[g] = a + b * 3 + c * 5 + u + unsigned(f) + p[0] + p[1] * 2 + p[2] * 3 + p[3] * 4 + p[4] * 5;\n for (unsigned i = 0; i < 24; ++i) out[g] = out[g] * 7u + r[i];\n}});\n}}).wait();\n}}",
            list(local.clone())
        );
        let _ = writeln!(calls, "  run{index}(q, out, in, written.data()); show({index}, out, written);");
    }
    let _ = write!(
        text,
        "static void show(int index, unsigned *out, std::vector<unsigned> &written) {{\n  unsigned long sum = 14695981039346656037ul;\n\
         \x20 for (int i = 0; i < 8192; ++i) {{ sum = (sum ^ out[i]) * 1099511628211ul; out[i] = 0; }}\n\
         \x20 for (unsigned &one : written) {{ sum = (sum ^ one) * 1099511628211ul; one = 0; }}\n  std::printf(\"%d %lx\\n\", index, sum);\n}}\n\
         int main() {{\n  sycl::queue q;\n  std::vector<unsigned> memory(8192), input(4200), written(8 * 4200);\n  unsigned *out = memory.data(), *in = input.data();\n\
         \x20 for (unsigned i = 0; i < 4200; ++i) in[i] = i * 2654435761u >> 7;\n{calls}}}\n"
    );
    text
}

/// Both ways; all kernels have functions for whole groups.
fn compare(seed: u64, kernels: usize, level: &str) {
    let source = program(seed, kernels);
    let mut session = Session::new(&[("a.cpp", &source)]);
    let said = session.run(&format!("aspen++ {level} -fsycl-targets=native_cpu a.cpp -o a"));
    assert_eq!(said.code, Some(0), "seed {seed}: {}\n{source}", said.stderr);
    let mut results = Vec::new();
    for way in ["items", "loops"] {
        session.environment.retain(|(name, _)| *name != "ASPEN_CPU_GROUPS");
        session.environment.push(("ASPEN_CPU_GROUPS", way.into()));
        let said = session.run("./a");
        assert_eq!(said.code, Some(0), "seed {seed}, {way}: {}\n{source}", said.stderr);
        results.push(said.stdout);
    }
    let differ = results[0].lines().zip(results[1].lines()).filter(|(items, loops)| items != loops);
    let differ: Vec<_> = differ.map(|(items, _)| items.split(' ').next().unwrap_or_default()).collect();
    assert!(differ.is_empty(), "seed {seed} at {level}: kernels {differ:?} differ\n{source}");
    assert_eq!(results[0].lines().count(), kernels);
    let program = session.read("a");
    let by_items: Vec<usize> = (0..kernels)
        .filter(|index| {
            let name = format!("aspen_group._ZTS1kILi{index}EE\0");
            !program.windows(name.len()).any(|bytes| bytes == name.as_bytes())
        })
        .collect();
    assert!(
        by_items.is_empty(),
        "seed {seed} at {level}: none of the kernels has what falls back, but {by_items:?} run item by item\n{source}"
    );
}

#[test]
fn deep_random_kernels_give_the_same_bits_both_ways() {
    const KERNELS: usize = 12;
    // More of them by hand: ASPEN_TEST_SEEDS=100 for a hundred further programs.
    let more = std::env::var("ASPEN_TEST_SEEDS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    let seeds = [(0x5eed, "-O2"), (0xf00d, "-O1"), (0xbeef, "-O3")].into_iter().chain((1..=more).map(|seed| (seed, "-O2")));
    for (seed, level) in seeds {
        compare(seed, KERNELS, level);
    }
}

/// Work-items of ranges with loops of their own, which whole rows go through together; row lengths that no vector divides.
const ROWS: &str = r#"#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>
class one; class two; class three; class taken; class inside; class single;
int main() {
  sycl::queue q;
  std::vector<unsigned> memory(1 << 16), table(512);
  unsigned *out = memory.data(), *t = table.data();
  for (unsigned i = 0; i < 512; ++i) t[i] = i * 2654435761u >> 9;
  const auto show = [&](const char *name) {
    unsigned long sum = 14695981039346656037ul;
    for (unsigned &x : memory) { sum = (sum ^ x) * 1099511628211ul; x = 0; }
    std::printf("%s %lx\n", name, sum);
  };
  for (size_t n : {1, 15, 17, 300, 5000}) {
    q.parallel_for<one>(n, [=](sycl::item<1> it) {
      const unsigned x = t[it[0] % 512];
      unsigned a = 1, b = x;
      for (int j = 0; j < 512; ++j) { a += (t[j] ^ x) * b; b ^= a >> 3; }
      out[it[0]] = a - b;
    }).wait();
    show("one");
  }
  q.parallel_for<two>(sycl::range<2>(37, 121), [=](sycl::item<2> it) {
    unsigned a = unsigned(it[1]);
    for (unsigned j = 0; j < t[it[0]] % 50; ++j) a = a * 3 + t[j];
    out[it.get_linear_id()] = a;
  }).wait();
  show("two");
  q.parallel_for<three>(sycl::range<3>(3, 5, 77), [=](sycl::item<3> it) {
    unsigned a = unsigned(it[2]), c = 0;
    for (int k = 0; k < 9; ++k) {
      for (int j = 0; j < 33; ++j) a += t[j * k % 512] ^ unsigned(it[1]);
      c += a * unsigned(k);
    }
    out[it.get_linear_id()] = a ^ c;
  }).wait();
  show("three");
  q.parallel_for<taken>(1000, [=](sycl::item<1> it) {
    unsigned a = unsigned(it[0]);
    for (int j = 0; j < 100; ++j) {
      if ((a & 7) == 3) a += 5;
      if (t[j] % 31 == 4) continue;
      if (a > 4000000000u) break;
      a = a * 5 + t[j] % 7;
    }
    out[it[0]] = a;
  }).wait();
  show("taken");
  q.parallel_for<inside>(777, [=](sycl::item<1> it) {
    unsigned p[7] = {1, 2, 3, unsigned(it[0])};
    for (int j = 0; j < 64; ++j) p[(t[j] + it[0]) % 7] += p[j % 7] + t[j];
    for (unsigned x : p) out[it[0]] += x;
  }).wait();
  show("inside");
  q.single_task<single>([=] {
    for (int i = 0; i < 512; ++i)
      for (int j = 0; j < 512; ++j) out[i] += t[j] ^ t[i];
  }).wait();
  show("single");
}
"#;

#[test]
fn deep_rows_give_the_same_bits_both_ways() {
    for level in ["-O2", "-O3"] {
        let mut session = Session::new(&[("a.cpp", ROWS)]);
        session.ok(&format!("aspen++ {level} -fsycl-targets=native_cpu,x86_64_v3 a.cpp -o a"));
        let loops = session.ok("./a").stdout;
        session.environment.push(("ASPEN_CPU_GROUPS", "items".into()));
        assert_eq!(session.ok("./a").stdout, loops, "{level}");
        let program = session.read("a");
        let has = |name: &[u8]| program.windows(name.len()).any(|bytes| bytes == name);
        assert!(has(b"aspen_group._ZTS3one\0"), "{level}: the plainest of loops runs item by item");
        assert!(has(b"aspen_group._ZTS6single\0"), "{level}: the loops of a single task have no levels");
    }
}
