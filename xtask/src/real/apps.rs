//! Programs that fill a checkout of their own: small stand-ins for simulations, in versions for many programming models.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::suites::{How, Program};

type Found = Result<Option<(PathBuf, Vec<Program>)>>;

/// XSBench: lookups of cross sections, with a checksum for its own number of them.
pub fn xsbench(checkout: &Path) -> Found {
    Ok(made(checkout, "XSbench_header.h", "./XSBench -m event -s small"))
}

/// RSBench: the same from another representation.
pub fn rsbench(checkout: &Path) -> Found {
    Ok(made(checkout, "rsbench.h", "./rsbench -m event -s small"))
}

/// `sycl/Makefile` in a checkout that has this header.
fn made(checkout: &Path, header: &str, run: &'static str) -> Option<(PathBuf, Vec<Program>)> {
    let how = How::Make { makefile: "Makefile", run: Some(run) };
    let program = Program { name: "sycl".to_owned(), folder: "sycl".into(), how };
    checkout.join("sycl").join(header).is_file().then(|| (checkout.to_owned(), vec![program]))
}

/// BabelStream: STREAM, which compares its arrays with what they must hold and says so only if they differ.
pub fn babelstream(checkout: &Path) -> Found {
    let found = models(checkout, "BabelStream", "src/StreamModels.h", |model| format!("./{model}-stream -s 1048576 -n 10"))?;
    let Some((folder, mut programs)) = found else { return Ok(None) };
    // Its CMake file refuses the name of the one model of SYCL 2020 that it has.
    if checkout.join("src/sycl2020").is_dir() {
        programs.retain(|program| program.name != "BabelStream-sycl2020");
        for access in ["ACC", "USM"] {
            let flags = [
                "-fsycl",
                "-O3",
                "-DSYCL2020",
                &format!("-DSYCL2020{access}=1"),
                "-DMEM_DEFAULT",
                "-I.",
                "-Isycl2020",
                "sycl2020/SYCLStream2020.cpp",
            ];
            let how = How::File {
                file: "main.cpp".into(),
                flags: flags.map(str::to_owned).to_vec(),
                arguments: ["-s", "1048576", "-n", "10"].map(str::to_owned).to_vec(),
            };
            programs.push(Program { name: format!("BabelStream-sycl2020-{}", access.to_lowercase()), folder: "src".into(), how });
        }
    }
    Ok(Some((folder, programs)))
}

/// miniBUDE: energies of a molecule in many poses.
pub fn minibude(checkout: &Path) -> Found {
    models(checkout, "miniBUDE", "src/bude.h", |model| format!("./{model}-bude --deck {{source}}/data/bm1 -n 1024 -i 2 -w 64 -p 4"))
}

/// mixbench: how fast a device computes and reads, for many mixtures of both.
pub fn mixbench(checkout: &Path) -> Found {
    let how = How::CMake { options: Vec::new(), run: "./mixbench-sycl".to_owned() };
    let program = Program { name: "mixbench-sycl".to_owned(), folder: "mixbench-sycl".into(), how };
    Ok(checkout.join("mixbench-sycl/mix_kernels_sycl.h").is_file().then(|| (checkout.to_owned(), vec![program])))
}

/// CloverLeaf: the equations of Euler on a grid.
pub fn cloverleaf(checkout: &Path) -> Found {
    models(checkout, "CloverLeaf", "InputDecks/clover_bm16_very_short.in", |model| {
        format!("./{model}-cloverleaf --file {{source}}/InputDecks/clover_bm_short.in")
    })
}

/// TeaLeaf: conduction of heat on a grid; its list of results has one for 64 x 64 cells and one step.
pub fn tealeaf(checkout: &Path) -> Found {
    models(checkout, "TeaLeaf", "tea.problems", |model| {
        format!(
            "cp {{source}}/tea.problems . && sed 's/^\\([xy]\\)_cells=.*/\\1_cells=64/; s/^end_step=.*/end_step=1/' {{source}}/tea.in > tea.in \
             && ./{model}-tealeaf"
        )
    })
}

/// A program for each of the models that are SYCL, in a checkout that has this file. Their CMake files know DPC++ by the folder it lies in.
fn models(checkout: &Path, name: &str, mark: &str, run: impl Fn(&str) -> String) -> Found {
    if !checkout.join(mark).is_file() || !checkout.join("CMakeLists.txt").is_file() {
        return Ok(None);
    }
    let mut programs = Vec::new();
    for model in super::suites::folders_in(&checkout.join("src"))? {
        let model = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !model.starts_with("sycl") {
            continue;
        }
        let options = vec![format!("-DMODEL={model}"), "-DSYCL_COMPILER=DPCPP".into(), "-DENABLE_MPI=OFF".into()];
        let run = run(&model);
        programs.push(Program { name: format!("{name}-{model}"), folder: PathBuf::new(), how: How::CMake { options, run } });
    }
    Ok((!programs.is_empty()).then(|| (checkout.to_owned(), programs)))
}
