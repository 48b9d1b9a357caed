//! `cargo xtask bench NAME`: figures, one line each: `LABEL ratio=R ours=… peer=…` (ratio = ours/peer, below 1 is faster; times in ns) or
//! `LABEL ns=N`. Both sides of a ratio are measured in turns in one go, and the best of all turns counts: noise only ever adds.
//! Source: DESIGN §2.

mod dpcpp;
mod gpu;
mod graph;
mod plugin;
mod propagate;
mod runtime;
mod simulation;
mod specialise;
mod split;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;

use crate::setup::setup;
use crate::shell::{Tree, output};

/// What can be measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Name {
    /// Reading sycl/sycl.hpp in a unit that holds nothing else
    Header,
    /// aspen++ on the tour, against the sum of the plain clang runs it consists of
    Compile,
    /// The clang plugin in a unit of 70 000 lines, against the same clang runs without it
    Plugin,
    /// aspen propagate on 1k, 5k and 13k kernels, against opt -passes=verify
    Propagate,
    /// sycl-post-link on 1k, 5k and 13k kernels, against llvm-split by kernel
    Split,
    /// An empty single_task on the embedded CPU device
    Launch,
    /// 100000 launches with a trace beside the same without one
    Trace,
    /// Specialising 1k, 5k and 13k kernels; a program of 200 kernels split, conditional and unsplit
    Specialise,
    /// Launches, the check, kernels, the JIT cache and a program's start, beside raw OpenCL on Intel's CPU driver
    Runtime,
    /// aspen check over libraries that DPC++ built, from the Python package index
    Dpcpp,
    /// The ahead-of-time part of a link as a graph, from caches, and simulated on up to 4096 workers
    Graph,
    /// Loops over arrays on the embedded CPU device, beside the same loops in OpenMP
    Openmp,
    /// SYCL on one of NVIDIA's GPUs beside CUDA by clang: leaves a folder to carry to a machine with a GPU
    Gpu,
    /// HeCBench's programs in SYCL on one of NVIDIA's GPUs beside their CUDA versions by clang: leaves a folder to carry there (needs --source)
    Pairs,
    /// Links of HeCBench's programs for the embedded CPU device, beside those for spir64 and what Intel's driver takes to build that (needs --source)
    Links,
    /// Kernels of HeCBench's programs on the embedded CPU device, beside the same program in OpenMP (needs --source)
    Real,
}

/// How often each side is measured.
const TURNS: usize = 7;

/// Builds and measures.
pub fn bench(tree: &Tree, name: Name) -> Result<()> {
    setup()?;
    let bench = Bench { bin: tree.build()?, folder: tree.target.join("bench").join(format!("{name:?}").to_lowercase()), root: &tree.root };
    std::fs::create_dir_all(&bench.folder).with_context(|| format!("cannot make {}", bench.folder.display()))?;
    match name {
        Name::Header => bench.header(),
        Name::Compile => bench.compile(),
        Name::Plugin => bench.plugin(),
        Name::Propagate => bench.propagate(),
        Name::Split => bench.split(),
        Name::Launch => bench.launch(),
        Name::Trace => bench.trace(),
        Name::Specialise => bench.specialise(),
        Name::Runtime => bench.runtime(),
        Name::Dpcpp => bench.dpcpp(),
        Name::Graph => bench.graph(),
        Name::Openmp => bench.openmp(),
        Name::Gpu => bench.gpu(),
        Name::Links | Name::Pairs | Name::Real => bail!("these are measured by the module `real`"),
    }
}

struct Bench<'t> {
    bin: PathBuf,
    folder: PathBuf,
    root: &'t Path,
}

impl Bench<'_> {
    fn aspenxx(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.bin.join("aspen++"));
        command.args(arguments).current_dir(&self.folder);
        command
    }

    /// The host pass of the lean header, which every unit pays for, and beside it the same compiler on a unit without anything; then what the
    /// standard headers of the whole one add to all passes of a default compile, which keeps them precompiled, and to one that reads the text.
    fn header(&self) -> Result<()> {
        for (name, text) in [("header.cpp", "#include <sycl/sycl.hpp>\n"), ("nothing.cpp", "")] {
            std::fs::write(self.folder.join(name), text)?;
        }
        const LEAN: &str = "-DASPEN_LEAN_HEADERS";
        let host = |file| self.aspenxx(&["-std=c++17", "-fsycl-host-only", "-fsyntax-only", LEAN, file]);
        let [header, nothing] = best([&mut || timed(&mut host("header.cpp")), &mut || timed(&mut host("nothing.cpp"))])?;
        println!("header ns={}\nheader-baseline ns={}", header.as_nanos(), nothing.as_nanos());
        for (name, kept) in [("header", "-fsycl-auto-pch"), ("header-text", "-fno-sycl-auto-pch")] {
            let all = |option| self.aspenxx(&["-std=c++17", "-j", "1", kept, option, "-c", "header.cpp", "-o", "header.o"]);
            let [whole, lean] = best([&mut || timed(&mut all("-UASPEN_LEAN_HEADERS")), &mut || timed(&mut all(LEAN))])?;
            ratio(&format!("{name}-all-passes"), whole, lean);
            println!("{name}-added ns={}", whole.saturating_sub(lean).as_nanos());
        }
        Ok(())
    }

    /// The clang runs that `aspen++ -###` names, without our plugin, one after the other.
    fn compile(&self) -> Result<()> {
        let tour = self.root.join("examples/tour.cpp");
        let tour = tour.to_str().context("the repository's path is no UTF-8")?;
        let arguments = ["-O2", "-std=c++17", "-fno-sycl-auto-pch", "-j", "1", "-c", tour, "-o", "tour.o"];
        let plain = self.plain_passes(&arguments)?;
        let ours = &mut || timed(&mut self.aspenxx(&arguments));
        let peer = &mut || plain.iter().map(|words| timed(&mut self.command(words))).sum();
        let [ours, peer] = best([ours, peer])?;
        ratio("compile", ours, peer);
        let link = best([&mut || timed(&mut self.aspenxx(&["tour.o", "-o", "tour"]))])?;
        println!("link ns={}", link[0].as_nanos());
        Ok(())
    }

    fn plain_passes(&self, arguments: &[&str]) -> Result<Vec<Vec<String>>> {
        Ok(self.passes(arguments)?.into_iter().map(without_plugin).collect())
    }

    /// The clang runs of a compilation.
    fn passes(&self, arguments: &[&str]) -> Result<Vec<Vec<String>>> {
        let said = output(self.aspenxx(arguments).arg("-###"))?;
        let text = String::from_utf8([said.stdout, said.stderr].concat())?;
        let passes: Vec<Vec<String>> =
            text.lines().map(words).filter(|words| words.first().is_some_and(|program| program.contains("clang"))).collect();
        if passes.is_empty() {
            bail!("aspen++ -### names no clang run:\n{text}");
        }
        Ok(passes)
    }

    fn command(&self, words: &[String]) -> Command {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.folder);
        command
    }

    /// The program measures itself.
    fn launch(&self) -> Result<()> {
        let source = self.root.join("benches/launch.cpp");
        output(self.aspenxx(&["-O2", "-std=c++17", "-o", "launch"]).arg(source))?;
        let said = output(Command::new("./launch").current_dir(&self.folder))?;
        let text = String::from_utf8(said.stdout)?;
        ensure!(text.lines().count() > 0 && text.lines().all(|line| line.contains(" ns=")), "the bench says: {text}");
        print!("{text}");
        Ok(())
    }
}

impl Bench<'_> {
    /// The program measures itself, with and without a trace in turns.
    fn trace(&self) -> Result<()> {
        output(self.aspenxx(&["-O2", "-std=c++17", "-fsycl-targets=native_cpu", "-o", "trace"]).arg(self.root.join("benches/trace.cpp")))?;
        let mut sides = [const { Vec::new() }; 2];
        for _turn in 0..TURNS {
            for (side, file) in sides.iter_mut().zip([Some("trace.json"), None]) {
                let mut program = Command::new("./trace");
                program.current_dir(&self.folder).env_remove("ASPEN_TRACE").envs(file.map(|file| ("ASPEN_TRACE", file)));
                let said = String::from_utf8(output(&mut program)?.stdout)?;
                let figures =
                    said.lines().map(|line| line.split_once(" ns=").and_then(|(label, ns)| Some((label.to_owned(), ns.parse().ok()?))));
                let figures: Option<Vec<(String, u64)>> = figures.collect();
                side.push(figures.filter(|figures| !figures.is_empty()).with_context(|| format!("the bench says: {said}"))?);
            }
        }
        let [with, without] = sides;
        for (index, (label, _)) in with[0].iter().enumerate() {
            let best = |side: &[Vec<(String, u64)>]| side.iter().map(|figures| figures[index].1).min().unwrap_or_default();
            ratio(label, Duration::from_nanos(best(&with)), Duration::from_nanos(best(&without)));
        }
        Ok(())
    }
}

/// A pass as somebody without Aspen would run it: no plugin, the word that only the plugin knows defined, temporary outputs in our folder.
fn without_plugin(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let plugin_argument = word == "-Xclang" && words.peek().is_some_and(|next| next == "-plugin-arg-aspen");
        if plugin_argument {
            // -Xclang -plugin-arg-aspen -Xclang KEY=VALUE
            words.by_ref().take(3).for_each(drop);
        } else if word == "-o" {
            words.next();
        } else if !word.starts_with("-fplugin=") {
            out.push(word);
        }
    }
    out.extend(["-o", "plain.out", "-w", "-D__ASPEN_OBJECT_TAG__=\"\""].map(str::to_owned));
    out
}

/// Splits a command line as clang's `-###` writes it: words in double quotes, with backslashes in front of quotes and backslashes.
fn words(line: &str) -> Vec<String> {
    let (mut out, mut word, mut quoted, mut begun) = (Vec::new(), String::new(), false, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => (quoted, begun) = (!quoted, true),
            '\\' => word.extend(chars.next()),
            ' ' if !quoted => {
                if begun || !word.is_empty() {
                    out.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            c => word.push(c),
        }
    }
    if begun || !word.is_empty() {
        out.push(word);
    }
    out
}

fn timed(command: &mut Command) -> Result<Duration> {
    let start = Instant::now();
    output(command)?;
    Ok(start.elapsed())
}

/// The best time of each side, measured in turns; the first turn only warms the caches.
fn best<const N: usize>(sides: [&mut dyn FnMut() -> Result<Duration>; N]) -> Result<[Duration; N]> {
    best_of(TURNS, sides)
}

/// The same of so many turns.
fn best_of<const N: usize>(turns: usize, mut sides: [&mut dyn FnMut() -> Result<Duration>; N]) -> Result<[Duration; N]> {
    let mut out = [Duration::MAX; N];
    for turn in 0..=turns {
        for (side, best) in sides.iter_mut().zip(&mut out) {
            let time = side()?;
            if turn > 0 {
                *best = time.min(*best);
            }
        }
    }
    Ok(out)
}

fn ratio(label: &str, ours: Duration, peer: Duration) {
    println!("{label} ratio={:.3} ours={} peer={}", ours.as_secs_f64() / peer.as_secs_f64(), ours.as_nanos(), peer.as_nanos());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_and_freed_of_the_plugin() {
        let line = r#" "/usr/bin/clang++-22" "-fplugin=/p.so" "-Xclang" "-plugin-arg-aspen" "-Xclang" "pass=host" "-Xclang" "-x" "-DA=\"b c\"" "-c" "t.cpp" "-o" "/elsewhere/t.o""#;
        let plain = without_plugin(words(line));
        let expected = ["/usr/bin/clang++-22", "-Xclang", "-x", "-DA=\"b c\"", "-c", "t.cpp", "-o", "plain.out", "-w"];
        assert_eq!(plain[..expected.len()], expected);
    }
}
