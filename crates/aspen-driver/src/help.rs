//! What `aspen++ --help` and its manual page say: one table.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::error::Error;

/// What the program is.
pub const ABOUT: &str =
    "aspen++: compiles SYCL 2020, splits device code by what it needs, and links programs that check those needs before anything runs";

/// How it is called.
pub const USAGE: &str = "aspen++ [options] file...";

/// What is said before the options.
pub const INTRODUCTION: &str = "\
Every clang++ option works as in clang++ (-c -S -E -o -O2 -g -std=c++20 -D -I -l -L -shared -MD -W...), and docs/OPTIONS.md says what
becomes of DPC++'s (-fsycl-unnamed-lambda, -Xs...). The ones below are Aspen's own.";

/// Options that belong together.
pub struct Section {
    /// What they are about.
    pub title: &'static str,
    /// The column of the texts on the page.
    width: usize,
    /// The option as one writes it, and what it does; a line break is one of the page.
    pub options: &'static [(&'static str, &'static str)],
}

/// Every option of Aspen's own.
pub const SECTIONS: &[Section] = &[
    Section {
        title: "what to build",
        width: 34,
        options: &[
            ("-fsycl-targets=T,...", "make device code for these targets (default: native_cpu,spir64); `aspen targets` lists all"),
            ("-fsycl-fixed-targets=T,...", "the program is for these targets only: warn of kernels that one of them cannot run"),
            ("-fsycl-device-config-file=F.yaml", "add to the target database, or change it"),
            (
                "-fsycl-device-code-split=MODE",
                "per_kernel, per_source (default, also auto) or off; kernels with different needs never share an image",
            ),
            (
                "-fsycl-optional-features=MODE",
                "split (default): kernels with equal needs share an image;\nconditional: SPIR-V images hold what a device needs of them under conditions",
            ),
            (
                "-fsycl-requirements=WHAT",
                "source (default), or optimized: 'double' that optimisation removes is not required, and\n-Wsycl-strict is about what it leaves; other warnings stay",
            ),
            ("-fsycl-device-only", "only the device pass of the first target; with -S -emit-llvm prints its code with Aspen's metadata"),
            ("-fsycl-host-only", "only the host pass"),
            ("-fsycl-dialect=D", "names of metadata: seed (default) or dpcpp"),
            (
                "-fno-sycl-known-local-ranges",
                "do not take ranges of local accessors that the source says (tile sizes) for constants in kernels",
            ),
            ("-fno-sycl-auto-pch", "do not keep <sycl/sycl.hpp> precompiled in the cache"),
            ("-fno-sycl-requirement-sources", "leave out of images why each requirement is there"),
            ("-Xarch_host OPT, -Xarch_device OPT", "an option for host or device passes only"),
        ],
    },
    Section {
        title: "warnings",
        width: 51,
        options: &[
            ("-W[no-]sycl-aspects, -W[no-]error=sycl-aspects", "a function uses an aspect that its device_has attribute does not list"),
            ("-W[no-]sycl-external, -W[no-]error=sycl-external", "a SYCL_EXTERNAL function that no object of the link defines"),
            ("-W[no-]sycl-left-out, -W[no-]error=sycl-left-out", "a kernel that gets no image, for a target or for any"),
            ("-W[no-]sycl-fixed-targets, -W[no-]error=sycl-fixed-targets", "a kernel that a target of -fsycl-fixed-targets cannot run"),
            (
                "-W[no-]sycl-strict, -W[no-]error=sycl-strict",
                "recursion, a virtual call or a function pointer in device code, an error for SPIR-V;\nfunctions that the host alone has, an error also for native_cpu",
            ),
            ("-Rpass-missed=aspen-items", "at the link: kernels that do not run as whole groups on native_cpu, and why"),
            (
                "-fdiagnostics-format=text|msvc|vi|json|sarif",
                "how these are printed; clang's options of how its own look hold for them, too",
            ),
        ],
    },
    Section {
        title: "how to work",
        width: 19,
        options: &[
            ("-j N", "run N passes at a time (default: one a core)"),
            ("-save-temps[=DIR]", "keep what every stage makes"),
            ("-fsycl-dump-device-code[=DIR]", "keep the device images as files"),
            ("-fsycl-aot-graph=DIR", "write the ahead-of-time part of the link as a graph, which `ninja -C DIR` finishes: docs/SCALE.md"),
            (
                "-fsycl-aot-launcher=WORDS",
                "run ahead-of-time compilers behind these words ('srun -n1 --'), by ninja; also ASPEN_AOT_LAUNCHER",
            ),
            ("-fsycl-aot-batch=SECONDS", "of a graph or a launcher: put jobs together that are estimated shorter than this"),
            ("-###", "print the commands and run none"),
            ("-v", "print the commands and run them"),
            ("--version", "which Aspen and which clang"),
            ("--autocomplete=WORD", "what a word that is being typed may become, for shells (`aspen completions`)"),
            ("--explain [WORDS]", "tell more about a mistake, by its name, a group of warnings or a part of its message"),
        ],
    },
];

/// The page.
pub fn page() -> String {
    let mut out = format!("{ABOUT}\n\nusage: {USAGE}\n\n{INTRODUCTION}\n");
    for Section { title, width, options } in SECTIONS {
        write!(out, "\n{title}\n").expect("a string takes all writes");
        for (option, text) in *options {
            let text = text.replace('\n', &format!("\n{:indent$}", "", indent = width + 2));
            writeln!(out, "  {option:width$}{text}", width = (option.len() + 2).max(*width)).expect("a string takes all writes");
        }
    }
    out
}

/// Prints to standard output; a reader that has gone away has read enough.
///
/// # Errors
/// If it cannot be written; a reader that goes away has read enough.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::file("write to", "standard output".as_ref(), error)),
        _ => Ok(()),
    }
}
