//! `cargo xtask bench real --source DIR`: the kernels of HeCBench's programs on the embedded CPU device, beside the same programs in OpenMP,
//! built by the same clang with `-O2 -fopenmp`. A program's own clock counts: what both sides print under the same label.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;

use super::build::{Builder, copy_all, less, link_all, makes};
use super::suites::{self, How, Suite};
use super::verdict::Verdict;
use crate::{install, shell::Tree};

/// `cargo xtask bench real`, `links` and `pairs`.
#[derive(clap::Args)]
pub struct Options {
    /// For `real`, `links` and `pairs`: a checkout of HeCBench, or a folder of checkouts
    #[arg(long)]
    pub(super) source: Option<PathBuf>,
    /// For `real`, `links` and `pairs`: only programs of these names; '*' and '?' stand for anything
    #[arg(long, value_delimiter = ',')]
    pub(super) only: Vec<Pattern>,
    /// For `real`, `links` and `pairs`: folder of aspen++; without it, an installation is built
    #[arg(long)]
    pub(super) bin: Option<PathBuf>,
    /// For `real`: seconds that a run may take
    #[arg(long, default_value_t = 20)]
    limit: u32,
}

/// How often each side runs, in turns; the best counts.
const TURNS: usize = 3;
/// Times below this say more about launches than about kernels.
const SHORTEST: f64 = 1e-5;

/// Measures; prints a line for each program whose two sides can be compared, and the median.
pub fn bench(tree: &Tree, options: &Options) -> Result<()> {
    crate::setup::setup_openmp()?;
    let source = options.source.as_ref().context("`bench real` needs --source: a folder that holds a checkout of HeCBench")?;
    let source = source.canonicalize().with_context(|| format!("no folder {}", source.display()))?;
    let bin = install::folder_of_tools(tree, options.bin.as_deref())?;
    let folder = tree.target.join("bench/real");
    let sides =
        Sides { peer: peer_compiler(&folder)?, ours: Builder { bin, targets: "native_cpu".to_owned(), folder, limit: options.limit } };
    let mut ratios = Vec::new();
    for suite in suites::find(&source, &["hecbench".to_owned()])? {
        for program in &suite.programs {
            let chosen = options.only.is_empty() || options.only.iter().any(|pattern| pattern.matches(&program.name));
            let How::Make { makefile, .. } = program.how else { continue };
            if !chosen || !suite.folder.join(format!("{}-omp", program.name)).join("Makefile").is_file() {
                continue;
            }
            match sides.compare(&suite, &program.name, makefile) {
                Ok(Some((ours, peer))) => {
                    println!("real-{} ratio={:.3} ours={:.0} peer={:.0}", program.name, ours / peer, ours * 1e9, peer * 1e9);
                    ratios.push(ours / peer);
                }
                Ok(None) => println!("# {}: no times to compare", program.name),
                Err(error) => println!("# {}: {error:#}", program.name),
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).context("no program could be compared")?;
    println!("real-median ratio={median:.3} programs={}", ratios.len());
    Ok(())
}

struct Sides {
    ours: Builder,
    /// A compiler for makefiles that are written for Intel's.
    peer: PathBuf,
}

impl Sides {
    /// Seconds of our kernels and of OpenMP's; none if the programs print nothing that both have.
    fn compare(&self, suite: &Suite, name: &str, makefile: &str) -> Result<Option<(f64, f64)>> {
        let mirror = self.ours.folder.join("src");
        link_all(&suite.folder, &mirror)?;
        let (ours, peer) = (mirror.join(format!("{name}-sycl")), mirror.join(format!("{name}-omp")));
        for own in [&ours, &peer] {
            std::fs::remove_file(own).with_context(|| format!("cannot replace {}", own.display()))?;
            copy_all(&suite.folder.join(own.file_name().unwrap_or_default()), own)?;
        }
        let times = self.times(&ours, &peer, makefile);
        for own in [&ours, &peer] {
            std::fs::remove_dir_all(own).with_context(|| format!("cannot remove {}", own.display()))?;
        }
        times
    }

    fn times(&self, ours: &Path, peer: &Path, makefile: &str) -> Result<Option<(f64, f64)>> {
        let for_peer = makes("Makefile", [format!("CC={}", self.peer.display()), "DEVICE=cpu".to_owned()]);
        let lines = [self.built(&self.ours.makes(makefile), ours)?, self.built(&for_peer, peer)?];
        let mut best: [BTreeMap<String, f64>; 2] = Default::default();
        for _ in 0..TURNS {
            for ((line, folder), best) in lines.iter().zip([ours, peer]).zip(&mut best) {
                let mut start = Command::new("sh");
                start.args(["-c", &less(line)]);
                let ran = self.ours.within(self.ours.limit, &start, folder)?;
                let name = folder.file_name().unwrap_or_default().display();
                ensure!(ran.status.success(), "{name} ended with {}", ran.status);
                if let wrong @ Verdict::Wrong(_) = Verdict::of_output(&ran.text) {
                    bail!("{name} is {wrong}");
                }
                for (label, seconds) in times_in(&ran.text) {
                    best.entry(label).and_modify(|best| *best = best.min(seconds)).or_insert(seconds);
                }
            }
        }
        let [ours, peer] = best;
        let common: Vec<(f64, f64)> = ours.iter().filter_map(|(label, ours)| Some((*ours, *peer.get(label)?))).collect();
        let (ours, peer) = common.iter().fold((0.0, 0.0), |sum, times| (sum.0 + times.0, sum.1 + times.1));
        Ok((ours.min(peer) >= SHORTEST).then_some((ours, peer)))
    }

    /// Builds; how the program is run.
    fn built(&self, make: &impl Fn(&[&str]) -> Command, folder: &Path) -> Result<String> {
        let name = folder.file_name().unwrap_or_default().display();
        ensure!(self.ours.build(make, folder)?.status.success(), "{name} does not compile");
        self.ours.run_line(make, folder)?.with_context(|| format!("{name} does not say how it is run"))
    }
}

/// clang as the makefiles call Intel's compiler: without its own options.
fn peer_compiler(folder: &Path) -> Result<PathBuf> {
    let path = folder.join("clang-with-openmp");
    let script = "#!/bin/sh\n\
                  for word do\n  shift\n  case $word in -qopenmp|-fiopenmp|-fopenmp-targets=*) ;; *) set -- \"$@\" \"$word\" ;; esac\ndone\n\
                  exec clang++-22 -O2 -fopenmp \"$@\"\n";
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(&path, script).with_context(|| format!("cannot write {}", path.display()))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Seconds that a program says its kernels took, by what is said of them: numbers with a unit, on lines that speak of kernels and time.
fn times_in(text: &str) -> BTreeMap<String, f64> {
    let mut out = BTreeMap::new();
    for line in text.lines() {
        let lower = line.to_lowercase();
        if !lower.contains("kernel") || !lower.contains("time") {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        for (at, pair) in words.windows(2).enumerate() {
            let unit = match pair[1].trim_matches(|c: char| !c.is_alphabetic()) {
                "ns" => 1e-9,
                "us" | "microseconds" => 1e-6,
                "ms" | "milliseconds" => 1e-3,
                "s" | "sec" | "secs" | "seconds" => 1.0,
                _ => continue,
            };
            let Ok(number) = pair[0].trim_matches(|c: char| "():,=".contains(c)).parse::<f64>() else { continue };
            // Work-group sizes and the like differ from side to side.
            let label: String = words[..at].join(" ").chars().filter(|c| !c.is_numeric()).collect();
            *out.entry(label).or_insert(0.0) += number * unit;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::times_in;

    #[test]
    fn times_are_what_programs_say_of_kernels() {
        let check = |text: &str, expected: &[(&str, f64)]| {
            let found: Vec<(String, f64)> = times_in(text).into_iter().collect();
            assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
            for ((label, seconds), (expected_label, expected)) in found.iter().zip(expected) {
                assert!(label == expected_label && (seconds / expected - 1.0).abs() < 1e-9, "{text}: {found:?}");
            }
        };
        check("Average kernel execution time: 12.5 (us)", &[("Average kernel execution time:", 12.5e-6)]);
        check("Average kernel time 2 ms\nAverage kernel time 3 ms", &[("Average kernel time", 5e-3)]);
        check("Total kernel execution time for block size 256: 1.5 (s)", &[("Total kernel execution time for block size :", 1.5)]);
        check("Device offload time: 3 s\nPASS 3 s", &[]);
    }
}
