//! `cargo xtask bench pairs --source DIR`: HeCBench's programs in SYCL beside the same programs in CUDA, on one of NVIDIA's GPUs. Both are built here,
//! the one side by aspen++, the other by clang, and left in a folder to be carried to a machine with a GPU, where `./run.sh` runs them in turns and
//! prints how their kernels' times compare. A program's own clock counts. Source: issue 19, "How fast".

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::build::{BUILD_LIMIT, Builder, copy_all, link_all, makes};
use super::openmp::Options;
use super::suites::{self, Suite};
use crate::{cuda, devices, install, shell::Tree, shell::output};

/// Programs whose two versions read no files and want no libraries but the languages' own and OpenMP's. Others are built if they are named.
const PROGRAMS: [&str; 75] = [
    "accuracy",
    "adam",
    "adamw",
    "adjacent",
    "aobench",
    "asmooth",
    "attention",
    "axhelm",
    "background-subtract",
    "bezier-surface",
    "bilateral",
    "bincount",
    "binomial",
    "bitonic-sort",
    "bitpermute",
    "black-scholes",
    "bsearch",
    "bspline-vgh",
    "burger",
    "cbsfil",
    "channelShuffle",
    "channelSum",
    "clenergy",
    "colorwheel",
    "complex",
    "compute-score",
    "concat",
    "convolution1D",
    "convolution3D",
    "convolutionSeparable",
    "cooling",
    "cross",
    "crossEntropy",
    "damage",
    "dct8x8",
    "debayer",
    "entropy",
    "expdist",
    "fft",
    "flame",
    "floydwarshall",
    "gamma-correction",
    "glu",
    "haccmk",
    "heat2d",
    "hellinger",
    "hwt1d",
    "iso2dfd",
    "jacobi",
    "jenkins-hash",
    "knn",
    "laplace3d",
    "lavaMD",
    "lif",
    "libor",
    "mandelbrot",
    "matrix-rotate",
    "maxpool3d",
    "md",
    "murmurhash3",
    "nbody",
    "nw",
    "page-rank",
    "particle-diffusion",
    "pathfinder",
    "perplexity",
    "popcount",
    "rmsnorm",
    "rodrigues",
    "romberg",
    "softmax",
    "stencil1d",
    "stencil3d",
    "stddev",
    "threadfence",
];

/// The processor when `ASPEN_BENCH_GPU` names none: H100 and H200.
const PROCESSOR: &str = "sm_90";

/// What stands in for nvcc: clang, without nvcc's own options. `-use_fast_math` is what clang has of it.
const NVCC: &str = r#"#!/bin/sh
link=1
left=$#
while [ $left -gt 0 ]; do
  word=$1
  shift
  left=$((left - 1))
  case $word in
  -Xcompiler | -Xptxas | -Xlinker | -gencode | -ccbin) shift; left=$((left - 1)) ;;
  -Xcompiler=* | -Xptxas=* | -arch=* | -gencode=* | -expt-* | --expt-* | -extended-lambda | --extended-lambda | -lineinfo) ;;
  -use_fast_math | --use_fast_math) set -- "$@" -fgpu-flush-denormals-to-zero -fgpu-approx-transcendentals ;;
  -rdc=true) set -- "$@" -fgpu-rdc ;;
  -c) link=; set -- "$@" -c ;;
  *.cu) set -- "$@" -x cuda "$word" -x none ;;
  *) set -- "$@" "$word" ;;
  esac
done
[ $link ] && set -- "$@" -L"{cuda}/lib" -lcudart
exec clang++-22 -w --cuda-path="{cuda}" --cuda-gpu-arch={processor} -I"{cuda}/include" "$@"
"#;

/// Builds both sides of each program that has both.
pub fn pairs(tree: &Tree, options: &Options) -> Result<()> {
    let source = options.source.as_ref().context("`bench pairs` needs --source: a folder that holds a checkout of HeCBench")?;
    let source = source.canonicalize().with_context(|| format!("no folder {}", source.display()))?;
    let processor = std::env::var("ASPEN_BENCH_GPU").unwrap_or_else(|_| PROCESSOR.to_owned());
    let cuda = cuda::toolkit(&devices::cache()?)?;
    let bin = install::folder_of_tools(tree, options.bin.as_deref())?;
    let (work, carried) = (tree.target.join("bench/pairs-work"), tree.target.join("bench/pairs"));
    install::forget(&carried)?;
    for folder in [&work, &carried] {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let nvcc = work.join("nvcc");
    let script = NVCC.replace("{cuda}", &cuda.display().to_string()).replace("{processor}", &processor);
    std::fs::write(&nvcc, script).with_context(|| format!("cannot write {}", nvcc.display()))?;
    std::fs::set_permissions(&nvcc, std::fs::Permissions::from_mode(0o755)).with_context(|| format!("cannot write {}", nvcc.display()))?;
    let ours = format!("{} -w -fsycl -fsycl-targets=nvidia_gpu_{processor}", bin.join("aspen++").display());
    let builder = Builder { bin: bin.clone(), targets: String::new(), folder: work, limit: 0 };
    let pair = Pair { builder, cuda: cuda.clone(), ours, peer: nvcc.display().to_string() };
    let mut built = 0;
    for suite in suites::find(&source, &["hecbench".to_owned()])? {
        for program in &suite.programs {
            let is_chosen = match &options.only[..] {
                [] => PROGRAMS.contains(&program.name.as_str()),
                named => named.iter().any(|pattern| pattern.matches(&program.name)),
            };
            if !is_chosen {
                continue;
            }
            match pair.build(&suite, &program.name, &carried) {
                Ok(()) => built += 1,
                Err(error) => println!("# {}: {error:#}", program.name),
            }
        }
    }
    ensure!(built > 0, "no program could be built on both sides");
    install::copy(&tree.root.join("benches/pairs/run.sh"), &carried.join("run.sh"))?;
    let library = bin.join("../lib/libaspen.so.0");
    let library = if library.is_file() { library } else { bin.join("libaspen.so.0") };
    install::copy(&library, &carried.join("libaspen.so.0"))?;
    output(Command::new("llvm-strip-22").arg(carried.join("libaspen.so.0")))?;
    install::copy(&cuda.join("lib/libcudart.so.12"), &carried.join("libcudart.so.12"))?;
    println!("{built} pairs; carry {} to a machine with a GPU ({processor}) and run ./run.sh there", carried.display());
    Ok(())
}

struct Pair {
    builder: Builder,
    cuda: PathBuf,
    /// The compilers, as the makefiles call them.
    ours: String,
    peer: String,
}

impl Pair {
    /// Leaves `NAME/ours` and `NAME/peer`, each with the program and the line that runs it.
    fn build(&self, suite: &Suite, name: &str, carried: &Path) -> Result<()> {
        let mirror = self.builder.folder.join("src");
        link_all(&suite.folder, &mirror)?;
        let to = carried.join(name);
        let sides = [("sycl", &self.ours, "ours"), ("cuda", &self.peer, "peer")];
        let outcome = sides.into_iter().try_for_each(|(model, compiler, side)| {
            let own = mirror.join(format!("{name}-{model}"));
            std::fs::remove_file(&own).with_context(|| format!("there is no {name}-{model}"))?;
            copy_all(&suite.folder.join(format!("{name}-{model}")), &own)?;
            let left = self.side(&own, compiler, &to.join(side));
            std::fs::remove_dir_all(&own).with_context(|| format!("cannot remove {}", own.display()))?;
            // The other side may include files of this one.
            link_all(&suite.folder, &mirror)?;
            left.context(model)
        });
        if outcome.is_err() {
            install::forget(&to)?;
        }
        outcome
    }

    fn side(&self, own: &Path, compiler: &str, to: &Path) -> Result<()> {
        // What is given to make so, the commands of its rules have in their environment.
        let cuda = format!("CUDA_PATH={}", self.cuda.display());
        let variables = [format!("CC={compiler}"), format!("CXX={compiler}"), "GPU=yes".to_owned(), "VENDOR=aspen".to_owned(), cuda];
        let make = makes("Makefile", variables);
        let built = self.builder.build(&make, own)?;
        ensure!(built.status.success(), "does not compile: {}", built.text.lines().find(|line| line.contains("error")).unwrap_or(""));
        let line = self.builder.run_line(&make, own)?.context("does not say how it is run")?;
        let program = line.split_whitespace().next().and_then(|word| word.strip_prefix("./")).context("is run by a script")?;
        std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
        install::copy(&own.join(program), &to.join(program))?;
        self.builder.within(BUILD_LIMIT, Command::new("llvm-strip-22").arg(to.join(program)), own)?;
        std::fs::write(to.join("line"), no_more(&line)).with_context(|| format!("cannot write into {}", to.display()))
    }
}

/// The last number of a command line is, in these programs, how often a kernel runs; its average is as well known after a hundred runs.
fn no_more(line: &str) -> String {
    let most = |number: u64| number.clamp(1, 100).to_string();
    match line.rsplit_once(' ') {
        Some((before, last)) => format!("{before} {}", last.parse().map_or_else(|_| last.to_owned(), most)),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::no_more;

    #[test]
    fn kernels_run_a_hundred_times_at_most() {
        assert_eq!(no_more("./main 8192 10000 1000"), "./main 8192 10000 100");
        assert_eq!(no_more("./main 4 5"), "./main 4 5");
        assert_eq!(no_more("./main -n x"), "./main -n x");
        assert_eq!(no_more("./main"), "./main");
    }
}
