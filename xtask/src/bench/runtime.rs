//! `cargo xtask bench runtime`: launches, checks and kernels of the embedded CPU and of OpenCL beside raw OpenCL on Intel's CPU driver, the
//! shapes that kernels come in on both, the JIT cache warm and cold, and what 13 000 kernels cost at a program's start. Source: issues 6 and
//! 14, "How fast".

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use aspen_contract::Requirements;
use aspen_image::{ImageBuilder, ImageKind, Kernel, KernelInfo};

use super::{Bench, best, ratio, timed};
use crate::devices::{self, DRIVERS};
use crate::setup::{setup_icd_loader, setup_openmp};
use crate::shell::output;

/// How often the programs run in turns.
const TURNS: usize = 3;
/// Kernels that run on both sides.
const KERNELS: [&str; 4] = ["saxpy", "n-body", "stencil", "matmul"];
/// Kernels of the program that starts.
const REGISTERED: usize = 13_000;
/// Bytes of code of each of them.
const CODE: usize = 4096;

type Figures = BTreeMap<String, f64>;
/// What a driver needs in the environment.
type Variables = [(&'static str, String)];

/// Our programs, as most people build them; the first also with images for newer levels of x86-64.
const BUILDS: [(&str, &str, &str); 3] = [
    ("runtime", "runtime.cpp", "native_cpu,spir64"),
    ("runtime-levels", "runtime.cpp", "native_cpu,x86_64_v3,x86_64_v4"),
    ("shapes", "shapes.cpp", "native_cpu,spir64"),
];

impl Bench<'_> {
    /// Each part prints its lines when they are there, and a part that fails is told at once and at the end; the others go on.
    pub(super) fn runtime(&self) -> Result<()> {
        setup_icd_loader()?;
        let driver = &DRIVERS[0];
        let drivers = devices::cache()?;
        let variables = driver.is_installed(&drivers).then(|| driver.environment(&drivers));
        let mut failed = Vec::new();
        let mut part = |name: &'static str, outcome: Result<()>| {
            if let Err(error) = outcome {
                println!("failed: {name}: {error:#}");
                failed.push(name);
            }
        };
        part("start", self.start());
        part("build", self.build_both_sides());
        part("kernels", self.kernels(variables.as_deref()));
        match &variables {
            Some(variables) => {
                part("shapes", self.shapes(variables));
                part("jit", self.jit(variables));
            }
            None => println!("skipped: all ratios, as driver {} is not installed (cargo xtask devices --install)", driver.name),
        }
        ensure!(failed.is_empty(), "these parts of the bench failed: {}", failed.join(", "));
        Ok(())
    }

    /// One source for both sides, which run in turns.
    pub(super) fn openmp(&self) -> Result<()> {
        setup_openmp()?;
        let source = self.root.join("benches/openmp.cpp");
        output(self.aspenxx(&["-O2", "-std=c++17", "-fsycl-targets=native_cpu", "-o", "ours"]).arg(&source))?;
        let words = ["-O3", "-march=native", "-fopenmp", "-DOPENMP", "-Wno-pass-failed", "-o", "peer"];
        output(Command::new("clang++-22").args(words).arg(&source).current_dir(&self.folder))?;
        let (mut ours, mut peer) = (Figures::new(), Figures::new());
        for _ in 0..TURNS {
            gather(&mut self.program("ours", &[], None, "native_cpu"), &mut ours)?;
            gather(&mut self.program("peer", &[], None, ""), &mut peer)?;
        }
        for (label, ns) in &ours {
            side_by_side(label, *ns, of(&peer, label)?);
        }
        Ok(())
    }

    fn build_both_sides(&self) -> Result<()> {
        let bench = |name: &str| self.root.join("benches").join(name);
        for (name, source, targets) in BUILDS {
            output(self.aspenxx(&["-O2", "-std=c++17", &format!("-fsycl-targets={targets}"), "-o", name]).arg(bench(source)))?;
        }
        output(Command::new("clang-22").args(["-O2", "-o", "opencl"]).arg(bench("opencl.c")).arg("-ldl").current_dir(&self.folder))?;
        Ok(())
    }

    fn program(&self, name: &str, words: &[&str], variables: Option<&Variables>, selector: &str) -> Command {
        let mut command = Command::new(format!("./{name}"));
        command.args(words).current_dir(&self.folder).env("ASPEN_CACHE_DIR", self.folder.join("jit-cache"));
        command.envs(variables.into_iter().flatten().map(|(name, value)| (*name, value.as_str())));
        command.env("ASPEN_DEVICE_SELECTOR", selector);
        command
    }

    /// All sides in turns.
    fn kernels(&self, variables: Option<&Variables>) -> Result<()> {
        let (mut cpu, mut levels, mut opencl, mut raw) = (Figures::new(), Figures::new(), Figures::new(), Figures::new());
        for _ in 0..TURNS {
            gather(&mut self.program("runtime", &[], variables, "native_cpu"), &mut cpu)?;
            gather(&mut self.program("runtime-levels", &[], variables, "native_cpu"), &mut levels)?;
            if variables.is_some() {
                gather(&mut self.program("opencl", &[], variables, ""), &mut raw)?;
                gather(&mut self.program("runtime", &[], variables, "opencl:*"), &mut opencl)?;
            }
        }
        println!("check ns={:.1}", of(&cpu, "check")?);
        if variables.is_none() {
            return Ok(());
        }
        side_by_side("empty-cpu", of(&cpu, "empty")?, of(&raw, "empty")?);
        side_by_side("empty-opencl", of(&opencl, "empty")?, of(&raw, "empty")?);
        for kernel in KERNELS {
            side_by_side(kernel, of(&cpu, kernel)?, of(&raw, kernel)?);
            side_by_side(&format!("{kernel}-levels"), of(&levels, kernel)?, of(&raw, kernel)?);
        }
        Ok(())
    }

    /// One program on both devices; its labels are not known here.
    fn shapes(&self, variables: &Variables) -> Result<()> {
        let (mut ours, mut peer) = (Figures::new(), Figures::new());
        for _ in 0..TURNS {
            gather(&mut self.program("shapes", &[], None, "native_cpu"), &mut ours)?;
            gather(&mut self.program("shapes", &[], Some(variables), "opencl:*"), &mut peer)?;
        }
        let mut logarithms = 0.0;
        for (label, ns) in &ours {
            let peer = of(&peer, label)?;
            side_by_side(label, *ns, peer);
            logarithms += (ns / peer).ln();
        }
        println!("shapes-mean ratio={:.3}", (logarithms / ours.len() as f64).exp());
        Ok(())
    }

    fn jit(&self, variables: &Variables) -> Result<()> {
        let (mut cold, mut warm) = (Figures::new(), Figures::new());
        for _ in 0..TURNS {
            let cache = self.folder.join("jit-cache");
            if cache.exists() {
                fs::remove_dir_all(&cache)?;
            }
            gather(&mut self.program("runtime", &["first"], Some(variables), "opencl:*"), &mut cold)?;
            gather(&mut self.program("runtime", &["first"], Some(variables), "opencl:*"), &mut warm)?;
        }
        side_by_side("jit-warm-to-cold", of(&warm, "first-launch")?, of(&cold, "first-launch")?);
        Ok(())
    }

    /// The same program with 13 000 images, each with a kernel, and with none.
    fn start(&self) -> Result<()> {
        let folder = self.folder.join("start");
        fs::create_dir_all(&folder)?;
        let requirements = Requirements::default();
        let mut images = Vec::new();
        for index in 0..REGISTERED {
            let info = KernelInfo { name: format!("kernel{index}"), requirements: requirements.clone() };
            let builder = ImageBuilder::new(ImageKind::Object, "x86_64-unknown-linux-gnu", "native_cpu", &format!("start_{index}"));
            images.extend(builder.kernel(Kernel { symbol: format!("_ZTS{index}"), info }, Vec::new()).to_bytes(&[0xCC; CODE])?);
        }
        fs::write(folder.join("many.bin"), &images)?;
        fs::write(folder.join("none.bin"), b"")?;
        for name in ["many", "none"] {
            self.start_program(&folder, name)?;
        }
        let run = |name: &str| timed(Command::new(folder.join(name)).env("LD_LIBRARY_PATH", &self.bin));
        // Starting takes a millisecond; many turns find the quiet ones.
        let mut all = [Duration::MAX; 2];
        for _ in 0..10 {
            for (all, one) in all.iter_mut().zip(best([&mut || run("many"), &mut || run("none")])?) {
                *all = one.min(*all);
            }
        }
        let [many, none] = all;
        ratio("start-13k-kernels", many, none);
        println!("start-13k-kernels-added ns={}", many.saturating_sub(none).as_nanos());
        fs::remove_dir_all(folder).context("the folder of this bench")
    }

    /// A C program that registers its images as aspen++'s registration does, asks for the devices and ends.
    fn start_program(&self, folder: &Path, name: &str) -> Result<()> {
        let text = format!(
            "#include <aspen/aspen.h>\n\
             extern const char begin[], end[];\nstatic const char anchor;\n\
             __asm__(\".section .llvm.offloading, \\\"a\\\"\\n.p2align 3\\nbegin:\\n.incbin \\\"{name}.bin\\\"\\nend:\\n.text\");\n\
             static const aspen_module_record_t record = {{ASPEN_ABI_VERSION, sizeof record, \"bench\", begin, end, &anchor}};\n\
             __attribute__((constructor)) static void enter(void) {{ aspen_register_module(&record); }}\n\
             int main(void) {{ aspen_unregister_module(&record); }}\n"
        );
        fs::write(folder.join(format!("{name}.c")), text)?;
        let mut command = Command::new("clang-22");
        command.args(["-O2", "-I"]).arg(self.root.join("include")).args([&format!("{name}.c"), "-o", name]);
        command.arg(self.bin.join("libaspen.so")).current_dir(folder);
        output(&mut command).map(|_| ())
    }
}

/// Runs a program and keeps the best of each of its lines.
fn gather(command: &mut Command, into: &mut Figures) -> Result<()> {
    let said = output(command)?;
    let text = String::from_utf8(said.stdout)?;
    for line in text.lines() {
        let (label, ns) = line.split_once(" ns=").with_context(|| format!("the bench says: {line}"))?;
        let ns: f64 = ns.parse().with_context(|| format!("the bench says: {line}"))?;
        let known = into.entry(label.to_owned()).or_insert(ns);
        *known = known.min(ns);
    }
    ensure!(!text.is_empty(), "the bench says nothing");
    Ok(())
}

fn of(figures: &Figures, label: &str) -> Result<f64> {
    figures.get(label).copied().with_context(|| format!("the bench did not measure {label}"))
}

fn side_by_side(label: &str, ours: f64, peer: f64) {
    println!("{label} ratio={:.3} ours={ours:.0} peer={peer:.0}", ours / peer);
}
