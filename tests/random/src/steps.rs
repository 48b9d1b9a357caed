//! Loops in steps: `for (i = id; i < n; i += range)` and what programs make of it: other types, starts, ends and steps, hints to unroll, loops and
//! guards around them, ways out of them. What must come is what the same function does on the host, work-item after work-item. Source:
//! docs/decisions/0069.

use std::fmt::Write as _;

use crate::programs::Program;

const KERNELS: usize = 24;

/// What each program begins with: launches of three groups of 64 and of as many work-items, beside the host.
const PRELUDE: &str = r#"#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>

struct self { size_t id, range, local, locals, group, groups; };
constexpr size_t Row = 4096, Items = 192, Size = Items * Row;

template <class K> void check(sycl::queue &q, const char *name, K k) {
  static unsigned *want = new unsigned[Size];
  unsigned *got = sycl::malloc_shared<unsigned>(Size, q);
  for (int n : {250, 500, 30, 31, 193})
    for (int m : {64, 160}) {
      std::memset(want, 0, Size * sizeof *want), std::memset(got, 0, Size * sizeof *got);
      k.n = n, k.m = m, k.out = want;
      for (size_t id = 0; id < Items; ++id)
        k(self{id, Items, id % 64, 64, id / 64, 3});
      k.out = got;
      const auto compare = [&](const char *launch) {
        if (std::memcmp(want, got, Size * sizeof *want))
          std::printf("%s differs from the host's over %s for n %d, m %d\n", name, launch, n, m);
        std::memset(got, 0, Size * sizeof *got);
      };
      q.parallel_for(sycl::nd_range<1>(Items, 64), [=](sycl::nd_item<1> it) {
         k(self{it.get_global_id(0), it.get_global_range(0), it.get_local_id(0), it.get_local_range(0), it.get_group(0), it.get_group_range(0)});
       }).wait();
      compare("groups");
      q.parallel_for(sycl::range<1>(Items), [=](sycl::item<1> it) {
         k(self{it.get_id(0), it.get_range(0), it.get_id(0) % 64, 64, it.get_id(0) / 64, it.get_range(0) / 64});
       }).wait();
      compare("a range");
    }
  sycl::free(got, q);
}

"#;

struct Maker(fastrand::Rng);

impl Maker {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.0.usize(0..from.len())]
    }

    fn percent(&mut self, chance: u32) -> bool {
        self.0.u32(0..100) < chance
    }

    /// A number that depends on the loop's variable.
    fn value(&mut self, i: &str) -> String {
        match self.0.u32(0..7) {
            0 => format!("in[{i}]"),
            1 => format!("in[{i} + 1] * 3"),
            2 => format!("in[{i} * 2] ^ unsigned({i})"),
            3 => format!("in[({i} & 127) + r]"),
            4 => format!("in[{i} + r * 7] + c"),
            5 => format!("(in[{i}] & 1 ? in[{i} + 2] : c)"),
            _ => format!("unsigned({i}) * 5"),
        }
    }

    fn in_steps(&mut self) -> String {
        let small = self.percent(5);
        let ty =
            self.pick(if small { &["std::int16_t", "std::uint8_t"] } else { &["int", "unsigned", "long", "size_t", "std::int64_t"][..] });
        let (start, end, step) = if small {
            ("s.local & 63", "100", "64")
        } else {
            (
                self.pick(&["s.id", "s.local", "s.id + 3", "s.id * 2", "s.local * 4", "s.id + r", "s.local + s.group * 50"]),
                self.pick(&["300", "n", "n - r", "4 * n / 5", "1 + (n >> 1)", "257", "r * 20", "n - 1"]),
                self.pick(&["64", "192", "s.range", "s.locals", "s.groups * s.locals", "256", "m", "s.range * 2", "s.locals * 4"]),
            )
        };
        let hint =
            self.pick(&["", "", "#pragma unroll 4\n", "#pragma unroll\n", "#pragma unroll 2\n", "#pragma clang loop unroll(disable)\n"]);
        let compare = self.pick(&["<", "<", "<", "<="]);
        let writes = self.percent(70);
        let mut body = String::new();
        for _ in 0..self.0.u32(1..4) {
            let value = self.value("i");
            body += &match self.0.u32(0..100) {
                0..35 => format!("a = a * 3 + {value};"),
                35..50 => format!("c ^= {value};"),
                50..60 => format!("if (({value}) & 4) a += i;"),
                60..66 => format!("if (({value}) % 97 == 5) break;"),
                66..70 => format!("if (({value}) % 7 == 5) continue;"),
                _ if writes => format!("out[s.id * Row + unsigned(i)] {} {value};", self.pick(&["=", "+=", "^="])),
                _ => format!("c = sycl::max(c, {value});"),
            };
            body.push(' ');
        }
        format!("\n{hint}for ({ty} i = {ty}({start}); i {compare} {ty}({end}); i += {ty}({step})) {{ {body}}}\n")
    }

    /// Several steps a turn, written out, and a loop over what is left.
    fn by_hand(&mut self) -> String {
        let ty = self.pick(&["int", "int", "unsigned", "long", "size_t"]);
        let step_type = self.pick(&["size_t", "size_t", ty]);
        // A sum that may be negative is compared without a sign where one of its parts has none.
        let signed = step_type != "size_t" && matches!(ty, "int" | "long");
        let start = self.pick(&["s.id", "s.local", "s.local + 3", "s.id + r", "s.local + s.group * 50"]);
        let end =
            if signed { self.pick(&["n - 100", "n", "40 * r - 60"]) } else { self.pick(&["n", "3000", "257", "unsigned(n)", "4 * n"]) };
        let step = self.pick(&["s.locals", "s.range", "64", "s.groups * s.locals", "m"]);
        let times = self.pick(&[2, 3, 4]);
        let (compare, last) = (self.pick(&["<", "<", "<="]), self.pick(&["<", "<="]));
        let writes = self.percent(40);
        let value = self.value("j");
        let body = match self.0.u32(0..3) {
            0 if writes => format!("out[s.id * Row + unsigned(j)] += {value};"),
            0 | 1 => format!("a = a * 3 + {value};"),
            _ => format!("if (({value}) & 4) c += unsigned(j);"),
        };
        let turns: String = (0..times).map(|turn| format!(" {{ const auto j = i + {turn} * t; {body} }}")).collect();
        format!(
            "{{ const {step_type} t = {step_type}({step}); {ty} i = {ty}({start});\n  for (; i + {} * t {compare} {end}; i += {times} * t) {{{turns} }}\n  \
             for (; i {last} {ty}({end}); i += t) {{ const auto j = i; {body} }}\n  a += unsigned(i); }}\n",
            times - 1
        )
    }

    /// Loops, alone or in what all work-items or some go through.
    fn part(&mut self) -> String {
        match self.0.u32(0..8) {
            0 => self.in_steps(),
            6 | 7 => self.by_hand(),
            1 | 2 => {
                let count = self.pick(&["3", "m / 32", "int(s.groups)", "in[5] % 5 + 1"]);
                let before = self.pick(&["", "a += u;", "unsigned q = a;"]);
                let after = self.pick(&["", "c += a;", "out[s.id * Row + 4000 + (u & 15)] = a;", "if (u & 1) c ^= 1;"]);
                let inner = self.in_steps();
                format!("for (int u = 0; u < {count}; ++u) {{ r = u + 1; {before}\n{inner} {after} }} r = 1;\n")
            }
            3 => {
                let (end, step) = (self.pick(&["9", "size_t(m / 8)"]), self.pick(&["s.groups", "3"]));
                let after = self.pick(&["", "a ^= u;"]);
                let inner = self.in_steps();
                format!("for (size_t u = s.group; u < {end}; u += {step}) {{ r = int(u) + 1;\n{inner} {after} }} r = 1;\n")
            }
            4 => {
                let which = self.pick(&["< 100", "% 3 == 1", ">= 5"]);
                let inner = self.in_steps();
                format!("if (s.id {which}) {{ {inner} }}\n")
            }
            _ => {
                let inner = self.in_steps();
                format!("for (int u = 0; u < 6; ++u) {{ r = u + 2;\n{inner} if (in[u] % 3 == 1) break; }} r = 1;\n")
            }
        }
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut maker = Maker(fastrand::Rng::with_seed(seed));
    let (mut text, mut calls) = (PRELUDE.to_owned(), String::new());
    for number in 0..KERNELS {
        let parts: String = (0..maker.0.u32(1..3)).map(|_| maker.part()).collect();
        write!(
            text,
            "struct k{number} {{\n  unsigned *out, *in;\n  int n, m;\n  void operator()(self s) const {{\nunsigned a = s.id, c = 7;\nint r = 1;\n(void)r;\n\
             {parts}out[s.id * Row + 4090] = a;\nout[s.id * Row + 4091] = c;\n  }}\n}};\n"
        )
        .expect("a string takes all writes");
        writeln!(calls, "  check(q, \"k{number}\", k{number}{{nullptr, in, 0, 0}});").expect("a string takes all writes");
    }
    text += "int main() {\n  sycl::queue q;\n  unsigned *in = sycl::malloc_shared<unsigned>(8192, q);\n  for (int i = 0; i < 8192; ++i)\n    \
             in[i] = unsigned(i * 2654435761u >> 5);\n";
    text += &calls;
    text += "  sycl::free(in, q);\n}\n";
    Program { text, kernels: KERNELS }
}
