//! `cargo xtask bench links --source DIR`: what a link for the embedded CPU device costs, beside the two things that stand in for it on the
//! same processor through OpenCL: a link for `spir64`, and what Intel's driver then takes to build that SPIR-V, in each run of the program. CPU
//! seconds of whole processes, so that neither threads nor other work on the machine count. Source: issues 13 and 14, "How fast"; docs/decisions/0061.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::build::{BUILD_LIMIT, Builder, copy_all, link_all};
use super::openmp::Options;
use super::suites::{self, How, Suite};
use crate::devices::{self, DRIVERS, Driver};
use crate::setup::setup_icd_loader;
use crate::shell::output;
use crate::{install, shell::Tree};

/// How often each side is measured, in turns; the best counts.
const TURNS: usize = 2;
/// Programs whose kernels have most barriers, sub-groups and unrolled loops, and so take longest of HeCBench's; others if they are named.
const PROGRAMS: [&str; 32] = [
    "adjacent",
    "aop",
    "bitpacking",
    "boxfilter",
    "bscan",
    "bsw",
    "collision",
    "convolutionSeparable",
    "crs",
    "dpid",
    "dwt2d",
    "fma",
    "gemv",
    "groupnorm",
    "hexciton",
    "histogram",
    "lanczos",
    "lda",
    "match",
    "maxFlops",
    "mcmd",
    "merge",
    "morphology",
    "mpc",
    "nbnxm",
    "qtclustering",
    "quicksort",
    "radixsort",
    "rsmt",
    "sc",
    "simpleSpmv",
    "warpsort",
];

/// Measures; prints two lines for each program, `links-NAME` beside the link for `spir64` alone and `links-jit-NAME` beside that and the driver's
/// build of it, and both medians.
pub fn bench(tree: &Tree, options: &Options) -> Result<()> {
    setup_icd_loader()?;
    let source = options.source.as_ref().context("`bench links` needs --source: a folder that holds a checkout of HeCBench")?;
    let source = source.canonicalize().with_context(|| format!("no folder {}", source.display()))?;
    let driver = &DRIVERS[0];
    let drivers = devices::cache()?;
    ensure!(driver.is_installed(&drivers), "driver {} is not installed: cargo xtask devices --install", driver.name);
    let bin = install::folder_of_tools(tree, options.bin.as_deref())?;
    let folder = tree.target.join("bench/links");
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let driver_build = folder.join("driver_build");
    output(
        Command::new("clang-22").args(["-O2", "-w", "-o"]).arg(&driver_build).arg(tree.root.join("benches/driver_build.c")).arg("-ldl"),
    )?;
    let links =
        Links { driver, drivers, driver_build, builder: Builder { bin, targets: "native_cpu,spir64".to_owned(), folder, limit: 0 } };
    let (mut plain, mut whole) = (Vec::new(), Vec::new());
    for suite in suites::find(&source, &["hecbench".to_owned()])? {
        for program in &suite.programs {
            let is_chosen = match &options.only[..] {
                [] => PROGRAMS.contains(&program.name.as_str()),
                named => named.iter().any(|pattern| pattern.matches(&program.name)),
            };
            let How::Make { makefile, .. } = program.how else { continue };
            if !is_chosen {
                continue;
            }
            match links.cost(&suite, &program.folder, makefile) {
                Ok(Cost { native, spirv, build }) => {
                    let line = |label: &str, peer: f64| {
                        println!("{label}-{} ratio={:.2} ours={:.0} peer={:.0}", program.name, native / peer, native * 1e9, peer * 1e9);
                        native / peer
                    };
                    plain.push(line("links", spirv));
                    whole.push(line("links-jit", spirv + build));
                }
                Err(error) => println!("# {}: {error:#}", program.name),
            }
        }
    }
    for (label, mut ratios) in [("links", plain), ("links-jit", whole)] {
        ratios.sort_by(f64::total_cmp);
        let median = ratios.get(ratios.len() / 2).context("no program could be linked for both")?;
        println!("{label}-median ratio={median:.2} programs={} worst={:.2}", ratios.len(), ratios.last().unwrap_or(median));
    }
    Ok(())
}

/// CPU seconds.
struct Cost {
    native: f64,
    spirv: f64,
    /// What the driver takes to build the SPIR-V.
    build: f64,
}

struct Links<'d> {
    builder: Builder,
    driver: &'d Driver,
    drivers: PathBuf,
    driver_build: PathBuf,
}

impl Links<'_> {
    /// Compiles a program for both as its makefile says, and links its objects for each.
    fn cost(&self, suite: &Suite, program: &Path, makefile: &str) -> Result<Cost> {
        let mirror = self.builder.folder.join("src");
        link_all(&suite.folder, &mirror)?;
        let own = mirror.join(program);
        std::fs::remove_file(&own).with_context(|| format!("cannot replace {}", own.display()))?;
        copy_all(&suite.folder.join(program), &own)?;
        let cost = self.builder.build(&self.builder.makes(makefile), &own).and_then(|built| {
            ensure!(built.status.success(), "does not compile");
            self.links(&own)
        });
        std::fs::remove_dir_all(&own).with_context(|| format!("cannot remove {}", own.display()))?;
        cost
    }

    fn links(&self, own: &Path) -> Result<Cost> {
        let objects = with_ending(own, "o")?;
        ensure!(!objects.is_empty(), "its makefile leaves no objects");
        let mut cost = Cost { native: f64::INFINITY, spirv: f64::INFINITY, build: f64::INFINITY };
        for _ in 0..TURNS {
            for (target, least) in [("native_cpu", &mut cost.native), ("spir64", &mut cost.spirv)] {
                *least = least.min(self.link(own, &objects, &[&format!("-fsycl-targets={target}")])?);
            }
        }
        self.link(own, &objects, &["-fsycl-targets=spir64", "-save-temps"])?;
        let modules = with_ending(own, "spv")?;
        ensure!(!modules.is_empty(), "the link keeps no SPIR-V");
        for _ in 0..TURNS {
            let mut command = Command::new(&self.driver_build);
            command.args(&modules).envs(self.driver.environment(&self.drivers));
            let said = String::from_utf8(output(&mut command)?.stdout)?;
            let ns = said.trim().strip_prefix("build ns=").and_then(|ns| ns.parse::<f64>().ok());
            cost.build = cost.build.min(ns.with_context(|| format!("the driver's build says: {said}"))? / 1e9);
        }
        Ok(cost)
    }

    /// CPU seconds of one link. What earlier links left in caches does not count.
    fn link(&self, own: &Path, objects: &[PathBuf], options: &[&str]) -> Result<f64> {
        let mut command = Command::new("env");
        command.arg("ASPEN_CACHE=0").arg(self.builder.bin.join("aspen++")).args(["-fsycl", "-o", "linked"]);
        command.args(options).args(objects).arg("-lm");
        let ended = self.builder.within(BUILD_LIMIT, &command, own)?;
        if !ended.status.success() {
            bail!("does not link: {}", ended.text.lines().find(|line| line.contains("error")).unwrap_or("no message"));
        }
        Ok(ended.seconds)
    }
}

/// The files of a folder and those in it that end so, in order.
fn with_ending(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let pattern = format!("{}/**/*.{ending}", glob::Pattern::escape(&folder.display().to_string()));
    let mut found = glob::glob(&pattern)?.collect::<Result<Vec<_>, _>>()?;
    found.sort();
    Ok(found)
}
