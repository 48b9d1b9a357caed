//! Kernels as programs for warps have them: volatile local memory that 32 lanes read and write in turns, behind guards of ever fewer lanes and
//! without a barrier. What must come is computed here, statement by statement for all lanes at once. Source: docs/decisions/0066.

use std::fmt::Write as _;

use crate::programs::Program;

const KERNELS: usize = 16;
const LANES: u32 = 32;
/// Numbers of a warp in local memory: a lane reaches 32 and 31 places behind its own.
const SPAN: usize = 64;
const REGISTERS: usize = 3;

/// Which place of its warp's a lane means.
#[derive(Clone, Copy)]
enum Place {
    Behind(u32),
    Partner(u32),
    Ring(u32),
    /// The same for all lanes.
    One(u32),
}

impl Place {
    fn of(self, lane: u32) -> usize {
        let place = match self {
            Place::Behind(by) => lane + by,
            Place::Partner(by) => lane ^ by,
            Place::Ring(by) => (lane + by) % LANES,
            Place::One(at) => at,
        };
        place as usize
    }

    fn text(self) -> String {
        match self {
            Place::Behind(by) => format!("t[p + {by}]"),
            Place::Partner(by) => format!("t[b + (lane ^ {by})]"),
            Place::Ring(by) => format!("t[b + ((lane + {by}) & 31)]"),
            Place::One(at) => format!("t[b + {at}]"),
        }
    }
}

/// What a warp's lanes hold.
struct Warp {
    memory: [u32; SPAN],
    registers: [[u32; REGISTERS]; LANES as usize],
}

struct Maker {
    random: fastrand::Rng,
    warps: Vec<Warp>,
    text: String,
}

impl Maker {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.usize(0..from.len())]
    }

    fn read(&mut self) -> Place {
        let by = self.pick(&[0, 0, 1, 2, 4, 8, 16, 3, 5, 31]);
        match self.random.u32(0..5) {
            0 | 1 => Place::Behind(by),
            2 => Place::Partner(by),
            3 => Place::Ring(by),
            _ => Place::One(self.random.u32(0..SPAN as u32)),
        }
    }

    fn written(&mut self) -> Place {
        let by = self.pick(&[0, 0, 0, 1, 2, 4, 8, 16, 3]);
        if self.random.u32(0..4) == 0 { Place::Partner(by) } else { Place::Behind(by) }
    }

    /// A statement of some lanes: all of them compute, then all write, the last one wins.
    fn statement(&mut self, lanes: &[u32], indent: &str) {
        let (to, from) = (self.written(), self.read());
        let (register, other) = (self.random.usize(0..REGISTERS), self.random.usize(0..REGISTERS));
        let number = self.random.u32(0..3);
        let kind = self.random.u32(0..6);
        let line = match kind {
            0 => format!("{} = {} + {number};", to.text(), from.text()),
            1 => format!("{} = {} + {};", to.text(), to.text(), from.text()),
            2 => format!("{} = {} ^ {};", to.text(), to.text(), from.text()),
            3 => format!("r{register} = r{register} * 3 + {};", from.text()),
            4 => format!("{} = r{register};", to.text()),
            _ => format!("r{register} += r{other} ^ lane;"),
        };
        writeln!(self.text, "{indent}{line}").expect("a string takes all writes");
        for Warp { memory, registers } in &mut self.warps {
            let one = |lane: u32| {
                let (read, own, r) = (memory[from.of(lane)], memory[to.of(lane)], registers[lane as usize]);
                match kind {
                    0 => read.wrapping_add(number),
                    1 => own.wrapping_add(read),
                    2 => own ^ read,
                    3 => r[register].wrapping_mul(3).wrapping_add(read),
                    4 => r[register],
                    _ => r[register].wrapping_add(r[other] ^ lane),
                }
            };
            let made: Vec<u32> = lanes.iter().copied().map(one).collect();
            for (&lane, value) in lanes.iter().zip(made) {
                if matches!(kind, 3 | 5) {
                    registers[lane as usize][register] = value;
                } else {
                    memory[to.of(lane)] = value;
                }
            }
        }
    }

    /// Guards of ever fewer lanes, one behind the other or one in the other, as folds have them.
    fn fold(&mut self) {
        let mut limits: Vec<u32> = [1, 2, 4, 5, 8, 11, 16, 24].into_iter().filter(|_| self.random.u32(0..4) == 0).collect();
        limits.reverse();
        let nested = self.random.u32(0..5) < 2;
        for limit in &limits {
            writeln!(self.text, "      if (lane < {limit}) {{").expect("a string takes all writes");
            let first: Vec<u32> = (0..*limit).collect();
            for _ in 0..self.random.u32(1..4) {
                self.statement(&first, "        ");
            }
            if !nested {
                self.text += "      }\n";
            }
        }
        if nested {
            self.text += &"      }\n".repeat(limits.len());
        }
    }

    /// Statements and guards of any kind, of which one may say something of another.
    fn guards(&mut self, lanes: &[u32], depth: usize) {
        let indent = "  ".repeat(3 + depth);
        for _ in 0..self.random.u32(2..5) {
            if depth == 3 || self.random.u32(0..10) < 6 {
                self.statement(lanes, &indent);
                continue;
            }
            let number = self.pick(&[1, 2, 4, 5, 8, 16, 31]);
            let (guard, passes): (String, fn(u32, u32) -> bool) = match self.random.u32(0..5) {
                0 | 1 => (format!("lane < {number}"), |lane, number| lane < number),
                2 => (format!("lane >= {number}"), |lane, number| lane >= number),
                3 => (format!("(lane & {number}) == 0"), |lane, number| lane & number == 0),
                _ => (format!("lane == {number}"), |lane, number| lane == number),
            };
            writeln!(self.text, "{indent}if ({guard}) {{").expect("a string takes all writes");
            let inside: Vec<u32> = lanes.iter().copied().filter(|&lane| passes(lane, number)).collect();
            self.guards(&inside, depth + 1);
            writeln!(self.text, "{indent}}}").expect("a string takes all writes");
        }
    }

    fn kernel(&mut self, number: usize, seed: u64) {
        let size = self.pick(&[32_u32, 64, 96, 128]);
        // Either the first warp alone, or each on a part of its own.
        let first_only = self.random.bool();
        let count = if first_only { 1 } else { size / LANES };
        let start = (seed % 1000) as u32;
        let memory = |warp: u32| std::array::from_fn(|at| warp * 1000 + at as u32 * 37 + start);
        let registers = |warp: u32| std::array::from_fn(|lane| std::array::from_fn(|r| (warp * LANES + lane as u32) * (r as u32 + 3)));
        self.warps = (0..count).map(|warp| Warp { memory: memory(warp), registers: registers(warp) }).collect();
        self.text = String::new();
        let all: Vec<u32> = (0..LANES).collect();
        for _ in 0..self.random.u32(1..6) {
            self.statement(&all, "      ");
        }
        if self.random.u32(0..3) == 0 {
            self.guards(&all, 0);
        } else {
            self.fold();
        }
        let (base, guard) = if first_only { ("0", "if (l < 32)") } else { ("w * 64", "") };
        let (numbers, lanes) = (count as usize * SPAN, count * LANES);
        let list = |values: Vec<u32>| values.iter().map(|value| format!("{value}u")).collect::<Vec<_>>().join(",");
        let want = list(self.warps.iter().flat_map(|warp| warp.memory).collect());
        let sum = |r: &[u32; REGISTERS]| r[0].wrapping_mul(7).wrapping_add(r[1].wrapping_mul(5)).wrapping_add(r[2]);
        let registers = list(self.warps.iter().flat_map(|warp| warp.registers.iter().map(sum)).collect());
        let body = &self.text;
        self.text = format!(
            r#"void k{number}(sycl::queue &q) {{
  constexpr unsigned N = {numbers}, S = {size}, L = {lanes};
  static const unsigned want[] = {{{want}}}, registers[] = {{{registers}}};
  unsigned *o = sycl::malloc_shared<unsigned>(N + S, q);
  q.submit([&](sycl::handler &h) {{
    sycl::local_accessor<unsigned> s(N, h);
    h.parallel_for(sycl::nd_range<1>(S, S), [=](sycl::nd_item<1> it) {{
    const unsigned l = it.get_local_id(0), lane = l & 31, w = l / 32, b = {base}, p = b + lane;
    (void)w;
    volatile unsigned *const t = &s[0];
    for (unsigned i = l; i < N; i += S)
      t[i] = (i / 64) * 1000 + (i % 64) * 37 + {start}u;
    unsigned r0 = l * 3, r1 = l * 4, r2 = l * 5;
    sycl::group_barrier(it.get_group());
    {guard} {{
{body}    }}
    sycl::group_barrier(it.get_group());
    for (unsigned i = l; i < N; i += S) o[i] = t[i];
    o[N + l] = r0 * 7 + r1 * 5 + r2;
    }});
  }}).wait();
  for (unsigned i = 0; i < N; i++)
    if (o[i] != want[i]) {{ std::printf("k{number} t[%u] is %u and not %u\n", i, o[i], want[i]); break; }}
  for (unsigned i = 0; i < L; i++)
    if (o[N + i] != registers[i]) {{ std::printf("k{number} lane %u has %u and not %u\n", i, o[N + i], registers[i]); break; }}
  sycl::free(o, q);
}}
"#
        );
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let random = fastrand::Rng::with_seed(seed);
    let mut maker = Maker { random, warps: Vec::new(), text: String::new() };
    let (mut text, mut calls) = (String::from("#include <sycl/sycl.hpp>\n#include <cstdio>\n"), String::new());
    for number in 0..KERNELS {
        maker.kernel(number, seed);
        text += &maker.text;
        writeln!(calls, "  k{number}(q);").expect("a string takes all writes");
    }
    text += &format!("int main() {{\n  sycl::queue q;\n{calls}}}\n");
    Program { text, kernels: KERNELS }
}
