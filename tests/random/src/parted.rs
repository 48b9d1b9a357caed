//! Operations of a sub-group in loops and branches that its lanes go through differently, with barriers of the group behind. What must come is what a
//! simulation on the host gives, in which all lanes run statement by statement and those that are elsewhere wait. Source: docs/decisions/0084.

use std::fmt::Write as _;

use crate::programs::Program;

const KERNELS: usize = 16;

/// What each program begins with: a launch beside the simulation, which knows the lanes of a sub-group by a mask.
const PRELUDE: &str = r#"#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdint>

using mask = std::uint64_t;
constexpr unsigned Groups = 2, Most = 96;

struct lanes { unsigned size, first, a[32], b[32], i[32], j[32]; mask alive; };

// What a statement sees of a lane.
#define LANE [[maybe_unused]] const unsigned a = s.a[l], b = s.b[l], i = s.i[l], j = s.j[l], t = s.first + l;

template <class F> void each(mask m, F f) {
  for (unsigned l = 0; l < 32; ++l)
    if (m >> l & 1) f(l);
}
template <class F> mask where(mask m, F f) {
  mask out = 0;
  each(m, [&](unsigned l) { out |= mask(bool(f(l))) << l; });
  return out;
}
inline unsigned leader(mask m) { return m ? unsigned(__builtin_ctzll(m)) : 0; }

template <class K> void check(sycl::queue &q, const char *name, K k) {
  for (unsigned n : {64u, 40u, 96u, 33u, 7u}) {
    unsigned want[Groups * Most] = {}, *got = sycl::malloc_shared<unsigned>(Groups * Most, q);
    for (unsigned at = 0; at < Groups * Most; ++at) got[at] = 0;
    for (unsigned g = 0; g < Groups; ++g) k.simulate(n, want + g * Most, g);
    q.submit([&](sycl::handler &h) {
      sycl::local_accessor<unsigned, 1> m(Most, h);
      h.parallel_for(sycl::nd_range<1>(n * Groups, n), [=](sycl::nd_item<1> it) [[sycl::reqd_sub_group_size(K::Lanes)]] {
        k(it, &m[0], got + it.get_group(0) * Most);
      });
    }).wait_and_throw();
    for (unsigned at = 0; at < Groups * Most; ++at)
      if (want[at] != got[at]) {
        std::printf("%s groups of %u: item %u of group %u has %u, not %u\n", name, n, at % Most, at / Most, got[at], want[at]);
        break;
      }
    sycl::free(got, q);
  }
}

"#;

struct Maker {
    random: fastrand::Rng,
    /// What the kernel does, and what the simulation does.
    device: String,
    host: String,
    /// The innermost mask that the statement is in, and those of the loops around it.
    masks: usize,
    loops: Vec<usize>,
    /// Masks and variables that have had a name.
    names: usize,
}

impl Maker {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())]
    }

    fn percent(&mut self, chance: u32) -> bool {
        self.random.u32(0..100) < chance
    }

    fn both(&mut self, text: &str) {
        self.device += text;
        self.host += text;
    }

    fn number(&mut self) -> &'static str {
        self.pick(&["a", "b", "a * 3 + l", "b ^ t", "l * 5", "i + j * 2", "a + i", "(a >> 3) + b", "t * 7 + 1", "b + j"])
    }

    fn condition(&mut self) -> String {
        let (of, small) = (self.number(), self.random.u32(1..30));
        match self.random.u32(0..6) {
            0 => format!("l < {small}"),
            1 => format!("(({of}) & 3) == 1"),
            2 => format!("t % 5 == {}", small % 5),
            3 => format!("(({of}) % 7) > {}", small % 6),
            4 => format!("l % 3 != {}", small % 3),
            _ => format!("(({of}) & {small}) != 0"),
        }
    }

    /// The mask of those who run.
    fn now(&self) -> String {
        format!("m{}", self.masks)
    }

    fn set(&mut self) {
        let (to, by, number) = (self.pick(&["a", "b"]), self.pick(&["+=", "^=", "="]), self.number());
        writeln!(self.device, "{to} {by} {number};").expect("a string takes all writes");
        let m = self.now();
        writeln!(self.host, "each({m}, [&](unsigned l) {{ LANE s.{to}[l] {by} {number}; }});").expect("a string takes all writes");
    }

    /// An operation of those who run; its result goes to a or b.
    fn operation(&mut self) {
        let (to, x, m, amount) = (self.pick(&["a", "b"]), self.number(), self.now(), self.random.u32(1..9));
        let (device, host) = match self.random.u32(0..9) {
            0 | 1 => (
                format!("r = sycl::reduce_over_group(sg, {x}, sycl::plus<>());"),
                format!("unsigned w = 0; each({m}, [&](unsigned l) {{ LANE w += {x}; }}); each({m}, [&](unsigned l) {{ r[l] = w; }});"),
            ),
            2 => (
                format!("r = sycl::reduce_over_group(sg, ({x}) & 0xffff, sycl::maximum<>());"),
                format!(
                    "unsigned w = 0; each({m}, [&](unsigned l) {{ LANE w = std::max(w, ({x}) & 0xffff); }}); each({m}, [&](unsigned l) {{ r[l] = w; }});"
                ),
            ),
            3 => (
                format!("r = sycl::inclusive_scan_over_group(sg, {x}, sycl::plus<>());"),
                format!("unsigned w = 0; each({m}, [&](unsigned l) {{ LANE w += {x}; r[l] = w; }});"),
            ),
            4 => (
                format!("r = sycl::any_of_group(sg, (({x}) & 31) == {amount}) ? 5 : 9;"),
                format!(
                    "const bool w = where({m}, [&](unsigned l) {{ LANE return (({x}) & 31) == {amount}; }}); each({m}, [&](unsigned l) {{ r[l] = w ? 5 : 9; }});"
                ),
            ),
            5 => (
                format!("r = sycl::select_from_group(sg, {x}, sycl::reduce_over_group(sg, l, sycl::minimum<>()));"),
                format!("unsigned w = 0; {{ const unsigned l = leader({m}); LANE w = {x}; }} each({m}, [&](unsigned l) {{ r[l] = w; }});"),
            ),
            6 => (
                format!("r = sycl::group_broadcast(sg, {x}, sycl::reduce_over_group(sg, l, sycl::minimum<>()));"),
                format!("unsigned w = 0; {{ const unsigned l = leader({m}); LANE w = {x}; }} each({m}, [&](unsigned l) {{ r[l] = w; }});"),
            ),
            way => {
                let (call, from) = match way {
                    7 => (format!("sycl::shift_group_left(sg, {x}, {amount})"), format!("l + {amount}")),
                    _ => (format!("sycl::permute_group_by_xor(sg, {x}, {amount})"), format!("(l ^ {amount})")),
                };
                (
                    format!(
                        "{{ const unsigned here = sycl::reduce_over_group(sg, 1u << l, sycl::bit_or<>()), got = {call}, from = {from};\n\
                         r = from < size && (here >> from & 1) ? got : 77; }}"
                    ),
                    format!(
                        "unsigned w[32]; each({m}, [&](unsigned l) {{ LANE w[l] = {x}; }});\n\
                         each({m}, [&](unsigned l) {{ const unsigned from = {from}; r[l] = from < s.size && ({m} >> from & 1) ? w[from] : 77; }});"
                    ),
                )
            }
        };
        writeln!(self.device, "{{ unsigned r; {device}\n{to} = {to} * 3 + r; }}").expect("a string takes all writes");
        writeln!(self.host, "{{ unsigned r[32]; {host}\neach({m}, [&](unsigned l) {{ s.{to}[l] = s.{to}[l] * 3 + r[l]; }}); }}")
            .expect("a string takes all writes");
    }

    /// Those who run leave all masks from this one on.
    fn leave(&mut self, from: usize, device: &str) {
        writeln!(self.device, "{device};").expect("a string takes all writes");
        let gone: String = (from..self.masks).map(|mask| format!("m{mask} &= ~m{};", self.masks)).collect();
        writeln!(self.host, "{gone} m{} = 0;", self.masks).expect("a string takes all writes");
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        let outer = self.now();
        self.names += 1;
        let taken = format!("c{}", self.names);
        writeln!(self.host, "{{ const mask {taken} = where({outer}, [&](unsigned l) {{ LANE return {condition}; }});")
            .expect("a string takes all writes");
        let both = self.percent(50);
        let from = self.loops.last().copied();
        let leaves = self.percent(15) && (from.is_some() || depth == 0);
        for side in 0..=usize::from(both) {
            writeln!(self.device, "{} {{", if side == 0 { format!("if ({condition})") } else { "else".to_owned() })
                .expect("a string takes all writes");
            self.masks += 1;
            let not = if side == 0 { "" } else { "~" };
            writeln!(self.host, "{{ mask m{} = {outer} & {not}{taken};", self.masks).expect("a string takes all writes");
            if side == 0 && leaves {
                // What comes in front of a way out is behind the loop to LLVM, where lanes of several turns may meet.
                self.set();
                self.leave(from.unwrap_or(0), if from.is_some() { "break" } else { "return" });
            } else {
                self.statements(depth + 1);
            }
            self.masks -= 1;
            self.both("}\n");
        }
        self.host += "}\n";
    }

    fn turns(&mut self, depth: u32) {
        let (variable, outer) = (if self.loops.is_empty() { "i" } else { "j" }, self.now());
        let (start, end, step) = match self.random.u32(0..4) {
            0 => ("l".to_owned(), format!("{}u", self.random.u32(20..90)), "32".to_owned()),
            1 => (format!("{}u", self.random.u32(0..2)), format!("({}) % 5", self.number()), "1".to_owned()),
            2 => (format!("({}) % 4", self.number()), "4u".to_owned(), "1".to_owned()),
            _ => ("0u".to_owned(), "3u".to_owned(), "1".to_owned()),
        };
        self.names += 1;
        let e = format!("e{}", self.names);
        writeln!(self.device, "{{ const unsigned {e} = {end};\nfor ({variable} = {start}; {variable} < {e}; {variable} += {step}) {{")
            .expect("a string takes all writes");
        self.masks += 1;
        self.loops.push(self.masks);
        let m = self.now();
        writeln!(
            self.host,
            "{{ unsigned {e}[32]; each({outer}, [&](unsigned l) {{ LANE {e}[l] = {end}; }});\n\
             each({outer}, [&](unsigned l) {{ LANE s.{variable}[l] = {start}; }});\n\
             for (mask {m} = where({outer}, [&](unsigned l) {{ return s.{variable}[l] < {e}[l]; }}); {m};) {{"
        )
        .expect("a string takes all writes");
        self.statements(depth + 1);
        writeln!(
            self.host,
            "each({m}, [&](unsigned l) {{ s.{variable}[l] += {step}; }});\n\
             {m} = where({m}, [&](unsigned l) {{ return s.{variable}[l] < {e}[l]; }});"
        )
        .expect("a string takes all writes");
        self.loops.pop();
        self.masks -= 1;
        self.both("}}\n");
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..self.random.u32(1..4) {
            match self.random.u32(0..100) {
                0..25 => self.set(),
                25..55 => self.operation(),
                55..80 if depth < 3 => self.branch(depth),
                80..100 if depth < 3 && self.loops.len() < 2 => self.turns(depth),
                _ => self.operation(),
            }
        }
    }
}

/// A kernel, and beside it its simulation for all sub-groups of a group: the text from one barrier of the group to the next for each of them.
fn kernel(random: fastrand::Rng, number: usize) -> String {
    let mut maker = Maker { random, device: String::new(), host: String::new(), masks: 0, loops: Vec::new(), names: 0 };
    let lanes = maker.pick(&[8, 16, 32, 32]);
    let of_all = "for (lanes &s : groups) { mask &m0 = s.alive; (void)m0;\n";
    maker.host += of_all;
    maker.statements(0);
    for _ in 0..maker.random.u32(0..3) {
        maker.device += "m[t] = a;\nsycl::group_barrier(it.get_group());\nb += m[(t * 7 + 3) % n];\nsycl::group_barrier(it.get_group());\n";
        maker.host += "each(m0, [&](unsigned l) { memory[s.first + l] = s.a[l]; });\n}\n";
        maker.host += of_all;
        maker.host += "each(m0, [&](unsigned l) { s.b[l] += memory[((s.first + l) * 7 + 3) % n]; });\n}\n";
        maker.host += of_all;
        maker.statements(0);
    }
    let Maker { device, host, .. } = maker;
    format!(
        "struct k{number} {{\n  static constexpr unsigned Lanes = {lanes};\n\
         void operator()(sycl::nd_item<1> it, unsigned *m, unsigned *out) const {{\n\
         const auto sg = it.get_sub_group();\n[[maybe_unused]] const unsigned t = it.get_local_id(0), n = it.get_local_range(0), l = sg.get_local_linear_id(), \
         size = sg.get_local_linear_range();\n\
         unsigned a = t * 11 + it.get_group(0), b = t ^ 21, i = 0, j = 0;\nm[t] = t;\n{device}out[t] = a ^ b * 31;\n(void)i, (void)j;\n  }}\n\
         static void simulate(unsigned n, unsigned *out, unsigned group) {{\n\
         lanes groups[Most / 8];\nunsigned memory[Most];\n\
         for (unsigned t = 0; t < n; ++t) memory[t] = t;\n\
         unsigned first = 0;\n\
         for (lanes &s : groups) {{\ns.first = first, s.size = first < n ? std::min(Lanes, n - first) : 0, first += s.size, s.alive = (mask(1) << s.size) - 1;\n\
         each(s.alive, [&](unsigned l) {{ const unsigned t = s.first + l; s.a[l] = t * 11 + group, s.b[l] = t ^ 21, s.i[l] = s.j[l] = 0; }});\n}}\n\
         {host}each(m0, [&](unsigned l) {{ out[s.first + l] = s.a[l] ^ s.b[l] * 31; }});\n}}\n  }}\n}};\n"
    )
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut text, mut calls) = (PRELUDE.to_owned(), String::new());
    for number in 0..KERNELS {
        text += &kernel(random.fork(), number);
        writeln!(calls, "  check(q, \"k{number}\", k{number}{{}});").expect("a string takes all writes");
    }
    text += "int main() {\n  sycl::queue q;\n";
    text += &calls;
    text += "}\n";
    Program { text, kernels: KERNELS }
}
