//! `aspen++` and `aspen`, one program: the driver by any name but those of `aspen`, which looks into what `aspen++` made, at targets and at
//! devices. Source: DESIGN §2.
//!
//! Exit codes: 0, 1 for findings or a failed input, 2 for wrong usage. Data goes to standard output; a reader that goes away has read enough.

mod bare;
mod build;
mod cache;
mod check;
mod clangd;
mod code;
mod devices;
mod diff;
mod explain;
mod fat;
mod here;
mod inspect;
mod json;
mod manual;
mod paint;
mod post_link;
mod program;
mod propagate;
mod report;
mod runtime;
mod targets;
mod workers;
mod wrapped;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use aspen_cli::{Answer, Failure, aot, parse, refuse_to_overwrite};
use clap::{Parser, Subcommand, ValueEnum};

/// Looks into programs that aspen++ or DPC++ made: what device code they hold, what it needs, and which devices have that
#[derive(Parser)]
#[command(name = "aspen", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Shows images, kernels and requirements in an executable, library, object, archive, table or bare device code
    Inspect {
        /// An executable, shared library, object, archive, OffloadBinary, file table, .prop file, LLVM module or SPIR-V module
        file: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Says why: the chain of calls, with places, from a kernel to the use that needs an aspect
    Explain {
        /// An executable, shared library, object, archive or LLVM module
        file: PathBuf,
        /// Only this kernel, or exported device function (its name or symbol)
        kernel: Option<String>,
        /// Only this aspect of it
        aspect: Option<String>,
        #[command(flatten)]
        output: Output,
    },
    /// Tells which kernels would run on a device; exit code 1 if one would not
    Check {
        /// An executable, shared library, object or archive
        file: PathBuf,
        /// A target of the database, as `aspen targets` lists them, or a device of this machine, as `opencl:0`; several with commas between, or repeated
        #[arg(long = "device", value_name = "TARGET", value_delimiter = ',', required_unless_present = "here")]
        devices: Vec<String>,
        /// Every device of this machine, as `aspen devices` lists them
        #[arg(long)]
        here: bool,
        /// Has the compilers of this machine's devices make programs of the SPIR-V images that pass, and says which they do not take
        #[arg(long)]
        build: bool,
        /// Adds to the target database, or changes it
        #[arg(long = "device-config-file", value_name = "F.yaml")]
        config_files: Vec<PathBuf>,
        #[command(flatten)]
        shown: check::Shown,
        /// How to print
        #[arg(long, value_enum, default_value_t = check::Format::Text)]
        format: check::Format,
    },
    /// Shows what the kernels of files need and which devices run them, and the uses that keep most of them from running
    Report(report::Arguments),
    /// Computes which aspects every function of an LLVM module uses, and writes them into its metadata
    Propagate {
        /// Bitcode or text IR
        input: PathBuf,
        /// Where to write: text if it ends in .ll, else bitcode; '-' is standard output, which gets what the input is
        #[arg(short, value_name = "OUT", required = true)]
        output: PathBuf,
        /// Whose names of metadata to write; both are read
        #[arg(long, value_enum, default_value_t = Dialect::Seed)]
        dialect: Dialect,
        /// Aspects that are not added to any function
        #[arg(long, value_name = "ASPECT", value_delimiter = ',')]
        exclude_aspects: Vec<String>,
        /// Aspects of the devices that the program is meant for, written to every entry point; with --dialect dpcpp
        #[arg(long, value_name = "ASPECT", value_delimiter = ',')]
        fixed_targets: Option<Vec<String>>,
    },
    /// Compares two builds; exit code 1 if a kernel or exported function of both needs more in the new one
    Diff {
        /// The older build
        old: PathBuf,
        /// The newer build
        new: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// Splits a module by what its kernels need, and says what each image needs; also as `sycl-post-link`
    #[command(disable_help_flag = true)]
    PostLink {
        /// DPC++'s options; --help shows them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
        words: Vec<OsString>,
    },
    /// Drops the rows of a file table whose images a target cannot run; also as `sycl-aspect-filter`
    AspectFilter(post_link::FilterArguments),
    #[command(flatten)]
    OfGraphs(aot::Command),
    /// Lists the target database, or one target of it
    #[command(args_conflicts_with_subcommands = true)]
    Targets {
        #[command(subcommand)]
        command: Option<TargetsCommand>,
        /// A name or alias
        name: Option<String>,
        /// Adds to the target database, or changes it
        #[arg(long = "device-config-file", value_name = "F.yaml")]
        config_files: Vec<PathBuf>,
        #[command(flatten)]
        output: Output,
    },
    /// Shows or removes what is kept between runs: programs and images that drivers and compilers made
    Cache {
        #[command(subcommand)]
        command: CacheCommand,
    },
    /// Prints a .clangd with which clangd, and so most editors, reads SYCL sources
    ///
    /// As in `aspen clangd-config > .clangd`, in the folder that holds the sources.
    ClangdConfig,
    /// Makes the tarball in which icecream carries aspen++ and its clang to other machines
    ///
    /// As in `ICECC_CXX=$(command -v aspen++) ICECC_VERSION=$(aspen icecc-env) make CXX='icecc clang++' -j64`.
    /// What is printed is the file, which is named for its content.
    IceccEnv {
        /// Where it is put
        #[arg(short = 'o', long = "output", value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
    /// Prints completions of `aspen` or `aspen++` for a shell
    ///
    /// As in `aspen completions bash > ~/.local/share/bash-completion/completions/aspen`. Installations bring those of bash, zsh and fish.
    Completions {
        /// Whose words to write
        #[arg(value_enum)]
        shell: clap_complete::Shell,
        /// Whose options they are; those of the compiler are asked of it (`aspen++ --autocomplete=`)
        #[arg(long, value_name = "PROGRAM", default_value = "aspen", value_parser = ["aspen", "aspen++"])]
        program: String,
    },
    /// Writes the manual pages of all programs into a folder, which gets man1 and man7
    #[command(hide = true)]
    Manual {
        /// The folder
        folder: PathBuf,
        /// The day that pages name
        #[arg(long, value_name = "YYYY-MM-DD")]
        date: String,
    },
    /// Lists the devices that programs find here, as ASPEN_DEVICE_PROFILE and ASPEN_DEVICE_SELECTOR present them
    Devices {
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Subcommand)]
enum TargetsCommand {
    /// Validates a device configuration file
    Check {
        /// The file
        file: PathBuf,
    },
}

#[derive(Subcommand)]
enum CacheCommand {
    /// Says where it is and how much it holds
    Stat {
        #[command(flatten)]
        output: Output,
    },
    /// Removes everything in it
    Clear,
}

#[derive(clap::Args)]
struct Output {
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// How to print.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Text,
    /// One JSON document for programs
    Json,
}

/// Whose names of metadata. Source: DESIGN §2.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Dialect {
    /// The design documents'
    Seed,
    /// DPC++'s
    Dpcpp,
}

/// The tarball's absolute path, as icecream wants it.
fn icecc_env(folder: &Path) -> Result<Answer, Failure> {
    let input = |error: &dyn std::fmt::Display| Failure::Input(error.to_string());
    let folder = folder.canonicalize().map_err(|error| input(&format!("cannot write into '{}': {error}", folder.display())))?;
    let executable = std::env::current_exe().map_err(|error| input(&error))?;
    let made = aspen_driver::icecream::environment(&executable, &folder).map_err(|error| input(&error))?;
    Ok(Answer::clean(format!("{}\n", made.display())))
}

fn main() -> ExitCode {
    // Like clang's, the driver may be called by links of any name.
    let called = std::env::args_os().next().map(PathBuf::from);
    let answer = match called.as_deref().and_then(Path::file_name).and_then(OsStr::to_str) {
        Some("aspen") => by_command(),
        Some("sycl-post-link") => post_link::as_dpcpp(),
        Some(name) if name.starts_with("clang-scan-deps") => return ExitCode::from(aspen_driver::scan::main(std::env::args_os().skip(1))),
        Some("sycl-aspect-filter") => parse().and_then(post_link::aspect_filter),
        _ => return ExitCode::from(aspen_driver::main(std::env::args_os().skip(1))),
    };
    aspen_cli::end(answer)
}

fn by_command() -> Result<Answer, Failure> {
    match parse::<Arguments>()?.command {
        Command::Inspect { file, output } => inspect::run(&file, output.format),
        Command::Explain { file, kernel, aspect, output } => explain::run(&file, kernel.as_deref(), aspect.as_deref(), output.format),
        Command::Check { file, devices, here, build, config_files, shown, format } => {
            check::run(&file, check::Asked { devices: &devices, here, build, config_files: &config_files }, &shown, format)
        }
        Command::Report(arguments) => report::run(&arguments),
        Command::Propagate { input, output, dialect, exclude_aspects, fixed_targets } => {
            propagate::run(&input, &output, dialect, &exclude_aspects, fixed_targets.as_deref())
        }
        Command::Diff { old, new, output } => diff::run(&old, &new, output.format),
        Command::Targets { command: Some(TargetsCommand::Check { file }), .. } => targets::check(&file),
        Command::Targets { command: None, name, config_files, output } => targets::run(name.as_deref(), &config_files, output.format),
        Command::Cache { command: CacheCommand::Stat { output } } => cache::stat(output.format),
        Command::Cache { command: CacheCommand::Clear } => cache::clear(),
        Command::OfGraphs(command) => command.run(),
        Command::ClangdConfig => clangd::run(),
        Command::IceccEnv { folder } => icecc_env(&folder),
        Command::Completions { shell, program } => manual::completions(shell, &program),
        Command::Manual { folder, date } => manual::write(&folder, &date),
        Command::Devices { output } => devices::run(output.format),
        Command::PostLink { words } => post_link::post_link(words.into_iter(), aspen_postlink::arguments::Dialect::Seed),
        Command::AspectFilter(arguments) => post_link::aspect_filter(arguments),
    }
}
