//! `cargo xtask setup`: the Debian packages that the build and the tests need, installed only when they are missing.
//!
//! Debian 12 has them in its ordinary sources (clang 22 comes with the security updates). Without root nothing is changed: the one line
//! to run is printed. Source: DESIGN §2.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell::{find_program, is_root, output, run};

/// Package, and a program by which it is recognised where there is no dpkg.
const PACKAGES: [(&str, &str); 4] =
    [("clang-22", "clang++-22"), ("llvm-22-dev", "llvm-config-22"), ("libclang-22-dev", "clang++-22"), ("spirv-tools", "spirv-val")];

/// What only the tests need besides: the ahead-of-time compiler for Intel GPUs, the loader of OpenCL drivers, GCC's view of our headers, a
/// test framework for hosts, builds under make, CMake, Meson and pkg-config, a cache of compilers, what editors ask, ninja for graphs,
/// PoCL's way from
/// SPIR-V to its LLVM's bitcode, a debugger and the AddressSanitizer that look into kernels, the linker and the mathematical functions of
/// AMD's GPUs.
const FOR_TESTS: [(&str, &str); 16] = [
    ("intel-opencl-icd", "ocloc"),
    ("lld-22", "ld.lld-22"),
    ("rocm-device-libs", "ld.lld-22"),
    ICD_LOADER,
    ("g++", "g++"),
    ("libboost-test-dev", "g++"),
    ("make", "make"),
    ("cmake", "cmake"),
    ("meson", "meson"),
    ("pkg-config", "pkg-config"),
    ("ccache", "ccache"),
    ("clangd-22", "clangd-22"),
    ("ninja-build", "ninja"),
    ("llvm-spirv-15", "llvm-spirv-15"),
    ("gdb", "gdb"),
    ("libclang-rt-22-dev", "clang++-22"),
];

/// What packages are made with: what a program's libraries are packages of, and compression.
const FOR_PACKAGES: [(&str, &str); 3] = [("dpkg-dev", "dpkg-shlibdeps"), ("xz-utils", "xz"), ("binutils", "objcopy")];

/// What only the suite `services` needs: a batch system, how its daemons know each other, a browser for the pages of `aspen report`,
/// what makes a bare Debian for packages, a compiler cache with a daemon, what compiles on other machines, and servers of stores that
/// machines share.
const SERVICES: [(&str, &str); 10] = [
    ("slurm-wlm", "slurmctld"),
    ("munge", "munged"),
    ("chromium", "chromium"),
    ("debootstrap", "debootstrap"),
    ("sccache", "sccache"),
    ("distcc", "distccd"),
    ("icecc", "iceccd"),
    ("redis-server", "redis-server"),
    ("lighttpd", "lighttpd"),
    ("lighttpd-mod-webdav", "lighttpd"),
];

/// Debian packages pip on its own.
const PIP: (&str, &str) = ("python3-pip", "pip3");

/// The loader of OpenCL drivers.
const ICD_LOADER: (&str, &str) = ("ocl-icd-libopencl1", "ocloc");

const ELSEWHERE: &str = "Debian 12 has clang 22 among its security updates (suite bookworm-security, component main): check that the apt \
                         sources contain it. For other releases the LLVM project keeps an apt repository with packages of the same names.";

/// Installs what building needs and is missing.
pub fn setup() -> Result<()> {
    install(&PACKAGES)
}

/// Installs what building and testing need and is missing; for all tests also pip, which brings the drivers.
pub fn setup_for_tests(complete: bool) -> Result<()> {
    let mut packages = [&PACKAGES[..], &FOR_TESTS].concat();
    if complete && python_with_pip().is_none() {
        packages.push(PIP);
    }
    install(&packages)
}

/// Installs what `cargo xtask package` needs.
pub fn setup_packages() -> Result<()> {
    install(&FOR_PACKAGES)
}

/// Installs the daemons and the browser of the suite `services`.
pub fn setup_services() -> Result<()> {
    install(&SERVICES)
}

/// A python3 that has pip, by which wheels come; installs Debian's if there is none.
pub fn setup_pip() -> Result<PathBuf> {
    if let Some(python) = python_with_pip() {
        return Ok(python);
    }
    install(&[PIP])?;
    python_with_pip().context("there is no python3 with pip, which brings Python wheels")
}

fn python_with_pip() -> Option<PathBuf> {
    find_program("python3").filter(|python| output(Command::new(python).args(["-m", "pip", "--version"])).is_ok())
}

/// Installs the loader of OpenCL drivers, without which no program sees one. Systems without dpkg have one of their own, or not.
pub fn setup_icd_loader() -> Result<()> {
    if find_program("dpkg-query").is_none() {
        return Ok(());
    }
    install(&[ICD_LOADER])
}

/// OpenMP's runtime for clang, which `bench openmp` and `bench real` compare with.
pub fn setup_openmp() -> Result<()> {
    install(&[("libomp-22-dev", "clang++-22")])
}

fn install(packages: &[(&'static str, &str)]) -> Result<()> {
    if find_program("dpkg-query").is_none() {
        return without_dpkg(packages);
    }
    let missing: Vec<&str> = packages.iter().map(|(package, _)| *package).filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let line = format!("apt-get install -y --no-install-recommends {}", missing.join(" "));
    if !is_root()? {
        bail!("these Debian packages are missing, and only root can install them; run\n  sudo {line}");
    }
    println!("setup: installing the Debian packages {}", missing.join(" "));
    if !are_known(&missing) {
        println!("setup: apt does not know them yet: apt-get update");
        run(Command::new("apt-get").arg("update").arg("-q"))?;
        if !are_known(&missing) {
            bail!("apt knows no {} even after `apt-get update`. {ELSEWHERE}", missing.join(" or no "));
        }
    }
    let mut install = Command::new("apt-get");
    install.args(line.split(' ').skip(1)).arg("-q").env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null());
    run(&mut install)?;
    println!("setup: done");
    Ok(())
}

fn is_installed(package: &str) -> bool {
    let status = output(Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}", package]));
    status.is_ok_and(|output| output.stdout == b"installed")
}

/// Whether apt could install all of them with the lists it has.
fn are_known(packages: &[&str]) -> bool {
    let mut simulation = Command::new("apt-get");
    output(simulation.args(["install", "--simulate", "--no-install-recommends"]).args(packages)).is_ok()
}

fn without_dpkg(packages: &[(&'static str, &str)]) -> Result<()> {
    let missing: Vec<&str> = packages.iter().filter(|(_, program)| find_program(program).is_none()).map(|(package, _)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!("this is no Debian system, and what Debian packages as {} is missing. {ELSEWHERE}", missing.join(", "))
}
