//! `cargo xtask bench gpu`: both sides of a comparison with CUDA on one of NVIDIA's GPUs, built here and left in a folder to be carried to a
//! machine with a GPU, where `./run.sh` prints a line for every row. No GPU and no CUDA toolkit is needed here: clang makes PTX of kernels.cu,
//! ptxas comes from its Python package, and the other side opens the driver when it runs. Source: issue 19, "How fast".

use std::process::Command;

use anyhow::{Context, Result};

use super::Bench;
use crate::shell::{output, run};
use crate::{cuda, devices, install};

/// The processor when `ASPEN_BENCH_GPU` names none: H100 and H200.
const PROCESSOR: &str = "sm_90";
/// The version of PTX that Aspen's own images have (aspen-codegen, `ptx.rs`).
const PTX: &str = "+ptx81";

impl Bench<'_> {
    pub(super) fn gpu(&self) -> Result<()> {
        let processor = std::env::var("ASPEN_BENCH_GPU").unwrap_or_else(|_| PROCESSOR.to_owned());
        let cuda = cuda::install(&devices::cache()?)?;
        let sources = self.root.join("benches/gpu");
        install::forget(&self.folder)?;
        std::fs::create_dir_all(&self.folder).with_context(|| format!("cannot make {}", self.folder.display()))?;
        let ours = format!("-fsycl-targets=nvidia_gpu_{processor}");
        output(self.aspenxx(&["-O3", "-std=c++17", &ours, "-o", "ours"]).env("CUDA_PATH", &cuda).arg(sources.join("sycl.cpp")))?;
        let clang = |arguments: &[&str], source: &str| {
            let mut command = Command::new("clang++-22");
            command.args(arguments).arg(sources.join(source)).current_dir(&self.folder);
            command
        };
        let (gpu, feature) = (format!("--cuda-gpu-arch={processor}"), format!("--cuda-feature={PTX}"));
        let device = ["-x", "cuda", &gpu, &feature, "--cuda-device-only", "-nocudainc", "-nocudalib", "-O3", "-S", "-o", "kernels.ptx"];
        output(&mut clang(&device, "kernels.cu"))?;
        let mut assemble = Command::new(cuda.join("bin/ptxas"));
        run(assemble.arg(format!("-arch={processor}")).args(["-O3", "kernels.ptx", "-o", "kernels.cubin"]).current_dir(&self.folder))?;
        output(&mut clang(&["-O2", "-std=c++17", "-o", "cuda", "-ldl"], "cuda.cpp"))?;
        install::copy(&sources.join("run.sh"), &self.folder.join("run.sh"))?;
        let library = self.folder.join("libaspen.so.0");
        install::copy(&self.bin.join("libaspen.so.0"), &library)?;
        // Debug information is most of it, and the folder is to be small.
        output(Command::new("llvm-strip-22").arg(&library))?;
        println!("carry {} to a machine with a GPU ({processor}) and run ./run.sh there", self.folder.display());
        Ok(())
    }
}
