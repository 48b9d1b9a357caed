//! `cargo xtask bench specialise`: what specialising costs by the number of kernels, and what a program of 200 kernels costs at its start and
//! in all, split, conditional, and as one image without conditions. Source: issue 7 "How fast".
//!
//! Specialising is measured in time of the processor: it waits for nothing, and other programs on the machine are not its cost.

use std::fmt::Write;
use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use aspen_contract::{Aspect, Need, Requirements};
use aspen_spirv::{Numbering, SpecId, specialise, write};

use super::{Bench, best, ratio, timed};
use crate::devices::{self, DRIVERS};
use crate::shell::output;

/// Kernels of the modules that are specialised.
const SIZES: [usize; 3] = [1_000, 5_000, 13_000];
/// Kernels of the program that runs.
const KERNELS: usize = 200;
const TURNS: usize = 15;

impl Bench<'_> {
    pub(super) fn specialise(&self) -> Result<()> {
        let mut each = Vec::new();
        for size in SIZES {
            let (module, numbering) = module(size)?;
            // A device without fp64: a third of the kernels go, and every guard is decided.
            let value = |id: SpecId| match id {
                SpecId::Requirement(_) => numbering.need(id).map(|need| *need != Need::Aspect(Aspect::FP64)),
                SpecId::Guard(aspect) => Some(aspect != Aspect::FP64),
                SpecId::User(_) => None,
            };
            let mut fastest = Duration::MAX;
            for _ in 0..TURNS {
                let begin = processor_time()?;
                let special = specialise(&module, &value).context("the bench's own module")?;
                fastest = fastest.min(processor_time()?.saturating_sub(begin));
                ensure!(special.len() < module.len(), "nothing was discarded");
            }
            let functions = functions(size);
            let per_1k = fastest * 1000 / u32::try_from(functions)?;
            println!("specialise {size} kernels ns={} ({} functions, {} KiB)", fastest.as_nanos(), functions, module.len() / 1024);
            println!("specialise {size} kernels per 1k functions ns={}", per_1k.as_nanos());
            each.push(per_1k);
        }
        ratio("specialise-13k-per-function-to-1k", each[2], each[0]);
        self.modes()
    }

    /// The program in each mode on a driver that has everything, so that it builds unsplit, too.
    fn modes(&self) -> Result<()> {
        let driver = &DRIVERS[0];
        let drivers = devices::cache()?;
        if !driver.is_installed(&drivers) {
            println!("skipped: the program's modes, as driver {} is not installed (cargo xtask devices --install)", driver.name);
            return Ok(());
        }
        fs::write(self.folder.join("modes.cpp"), program())?;
        for (name, options) in
            [("split", &[][..]), ("conditional", &["-fsycl-optional-features=conditional"]), ("unsplit", &["-DSAME_NEEDS"])]
        {
            let mut compile = self.aspenxx(&["-O2", "-std=c++17", "-fsycl-targets=spir64", "modes.cpp", "-o", name]);
            output(compile.args(options))?;
        }
        let run = |name: &str, word: &str| {
            let mut command = Command::new(self.folder.join(name));
            command.arg(word).current_dir(&self.folder).env("ASPEN_CACHE", "0").envs(driver.environment(&drivers));
            timed(&mut command)
        };
        for (label, word) in [("start-up", "first"), ("all-200-kernels", "all")] {
            let [split, conditional, unsplit] =
                best([&mut || run("split", word), &mut || run("conditional", word), &mut || run("unsplit", word)])?;
            ratio(&format!("{label}-conditional-to-split"), conditional, split);
            ratio(&format!("{label}-conditional-to-unsplit"), conditional, unsplit);
        }
        Ok(())
    }
}

/// What this thread has used of the processor.
fn processor_time() -> Result<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time`, which is one timespec.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } != 0 {
        return Err(std::io::Error::last_os_error()).context("the processor's time");
    }
    Ok(Duration::new(u64::try_from(time.tv_sec)?, u32::try_from(time.tv_nsec)?))
}

/// Kernels, a helper for every four of them, and a guarded body for every eight.
fn functions(kernels: usize) -> usize {
    kernels + kernels.div_ceil(4) + kernels.div_ceil(8)
}

/// A module in which a third of the kernels need fp64, another third fp16, and every fourth asks the device. Bodies are of the size of
/// small kernels: about 30 instructions.
fn module(kernels: usize) -> Result<(Vec<u8>, Numbering)> {
    let id = |index: usize| u32::try_from(1000 + index);
    let (helper, guarded) = (kernels, kernels + kernels.div_ceil(4));
    let mut next = u32::try_from(2000 + functions(kernels))?;
    let mut words = vec![0x0723_0203, 0x0001_0400, 0, 0, 0];
    for operands in [&[17, 6][..], &[17, 4], &[17, 9], &[17, 10], &[14, 2, 2]] {
        put(&mut words, operands);
    }
    let symbol = |index: usize| format!("_ZTSZ4mainE6kernel{index}");
    for index in 0..kernels {
        put_text(&mut words, &[15, 6, id(index)?], &symbol(index));
    }
    for index in 0..kernels {
        put_text(&mut words, &[5, id(index)?], &symbol(index));
    }
    put(&mut words, &[71, 20, 1, 0x5000_0006]);
    let (void, float, double, half, int, boolean, function, pointer) = (1, 2, 3, 4, 5, 6, 7, 8);
    for operands in [
        &[19, void][..],
        &[22, float, 32],
        &[22, double, 64],
        &[22, half, 16],
        &[21, int, 32, 0],
        &[20, boolean],
        &[33, function, void],
        &[32, pointer, 5, float],
        &[43, float, 30, 0x3f80_0000],
        &[43, double, 31, 0, 0x3ff0_0000],
        &[43, half, 32, 0x3c00],
        &[49, boolean, 20],
        &[59, pointer, 40, 5],
    ] {
        put(&mut words, operands);
    }
    let mut fresh = || {
        next += 1;
        next
    };
    let mut body = |words: &mut Vec<u32>, of: usize, kind: u32, one: u32, calls: &[u32], guard: Option<u32>| -> Result<()> {
        put(words, &[54, void, id(of)?, 0, function]);
        put(words, &[248, fresh()]);
        let (mut last, mut wide) = (30, one);
        for _ in 0..8 {
            let (loaded, sum, product) = (fresh(), fresh(), fresh());
            put(words, &[61, float, loaded, 40, 2, 4]);
            put(words, &[129, float, sum, loaded, last]);
            put(words, &[133, kind, product, wide, one]);
            (last, wide) = (sum, product);
        }
        put(words, &[62, 40, last, 2, 4]);
        for callee in calls {
            put(words, &[57, void, fresh(), *callee]);
        }
        if let Some(callee) = guard {
            let (yes, end) = (fresh(), fresh());
            put(words, &[250, 20, yes, end]);
            put(words, &[248, yes]);
            put(words, &[57, void, fresh(), callee]);
            put(words, &[249, end]);
            put(words, &[248, end]);
        }
        put(words, &[253]);
        put(words, &[56]);
        Ok(())
    };
    let mut requirements = Vec::new();
    for index in 0..kernels {
        let (kind, one, aspect) = [(float, 30, None), (double, 31, Some(Aspect::FP64)), (half, 32, Some(Aspect::FP16))][index % 3];
        let guard = (index % 4 == 0).then(|| id(guarded + index / 8)).transpose()?;
        body(&mut words, index, kind, one, &[id(helper + index / 4)?], guard)?;
        requirements.push((symbol(index), Requirements { aspects: aspect.into_iter().collect(), ..Requirements::default() }));
    }
    for index in helper..guarded {
        body(&mut words, index, float, 30, &[], None)?;
    }
    for index in guarded..functions(kernels) {
        body(&mut words, index, double, 31, &[], None)?;
    }
    words[3] = next + 1;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let numbering = Numbering::new(requirements.iter().map(|(_, requirements)| requirements))?;
    let roots: Vec<_> = requirements.iter().map(|(symbol, requirements)| (symbol.as_str(), requirements)).collect();
    let module = write(&bytes, &roots, &numbering)?.into_owned();
    Ok((module, numbering))
}

fn put(words: &mut Vec<u32>, instruction: &[u32]) {
    let length = u32::try_from(instruction.len()).unwrap_or(u32::MAX);
    words.push(length << 16 | instruction[0]);
    words.extend(&instruction[1..]);
}

fn put_text(words: &mut Vec<u32>, before: &[u32], text: &str) {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(text.len() / 4 * 4 + 4, 0);
    let text = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    put(words, &before.iter().copied().chain(text).collect::<Vec<_>>());
}

/// 200 kernels of four different needs, or, with `SAME_NEEDS`, of one.
fn program() -> String {
    let mut out = String::from(
        "#include <sycl/sycl.hpp>\n#include <cstring>\n#ifdef SAME_NEEDS\n#define SIZED\n#else\n\
         #define SIZED [[sycl::reqd_sub_group_size(16)]]\n#endif\ntemplate <int> class kernel;\n\
         template <class T> static float work(float f, int n) {\n  T t = T(f);\n  for (int i = 0; i < n; ++i)\n    t = t * T(1.5f) + T(i);\n\
         \x20 return float(t);\n}\nint main(int, char **argv) {\n  sycl::queue q;\n  float *p = sycl::malloc_shared<float>(32, q);\n\
         \x20 p[0] = 1;\n",
    );
    for index in 0..KERNELS {
        let launch = match index % 4 {
            3 => format!(
                "q.parallel_for<kernel<{index}>>(sycl::nd_range<1>(16, 16), [=](sycl::nd_item<1> it) SIZED {{ p[it.get_local_id(0)] = work<float>(p[0], {index}); }});"
            ),
            kind => {
                let kind = ["float", "double", "sycl::half"][kind];
                // In the unsplit program all kernels do the same kinds of work without needing anything.
                format!("q.single_task<kernel<{index}>>([=] {{ p[1] = work<TYPE({kind})>(p[0], {index}); }});")
            }
        };
        let _ = writeln!(out, "  {launch}");
        if index == 0 {
            out += "  q.wait();\n  if (!std::strcmp(argv[1], \"first\"))\n    return 0;\n";
        }
    }
    out += "  q.wait();\n}\n";
    out.replace(
        "template <int> class kernel;",
        "#ifdef SAME_NEEDS\n#define TYPE(t) float\n#else\n#define TYPE(t) t\n#endif\ntemplate <int> class kernel;",
    )
}
