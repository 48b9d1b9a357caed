//! `aspen aot`, `aspen aot-pack` and `aspen launch`: what the commands of a graph for ninja do.

use std::path::PathBuf;

use aspen_devices::Database;
use aspen_driver::spread;

use crate::{Answer, Failure, refuse_to_overwrite, targets};

/// What `aspen aot` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// The target, as `aspen targets` lists them
    #[arg(long)]
    target: String,
    /// The compiler, called as ocloc is for SPIR-V and as ptxas is for PTX; by default the target's own, with its options
    #[arg(long)]
    compiler: Option<PathBuf>,
    /// Adds to the target database, or changes it; has no say where --compiler is given
    #[arg(long = "device-config-file", value_name = "F.yaml")]
    config_files: Vec<PathBuf>,
    /// A SPIR-V module or PTX
    input: PathBuf,
    /// The result: machine code, with what it was made of
    #[arg(short, value_name = "OUT", required = true)]
    output: PathBuf,
    /// Words for the compiler
    #[arg(last = true, value_name = "WORDS")]
    words: Vec<String>,
}

/// What `aspen aot-pack` takes.
#[derive(clap::Args)]
pub struct PackArguments {
    /// The graph.json beside a build.ninja that aspen++ wrote
    graph: PathBuf,
    /// Where the program's images go
    #[arg(short, value_name = "OUT", required = true)]
    output: PathBuf,
}

/// `aspen aot`.
pub fn compile(arguments: &Arguments) -> Result<Answer, Failure> {
    refuse_to_overwrite(&arguments.output, std::iter::once(&arguments.input).chain(&arguments.config_files))?;
    // A job depends on nothing that its command does not name.
    let database = if arguments.compiler.is_some() { Database::builtin().clone() } else { targets::named(&arguments.config_files)? };
    let job = spread::AotJob {
        target: &arguments.target,
        compiler: arguments.compiler.as_deref(),
        words: &arguments.words,
        input: &arguments.input,
        output: &arguments.output,
    };
    match spread::compile(&database, &job) {
        Ok(messages) => {
            if !messages.is_empty() {
                eprintln!("{messages}");
            }
            Ok(Answer::clean(String::new()))
        }
        Err(spread::Stopped::Job(text)) => Err(Failure::Input(text)),
        Err(spread::Stopped::Usage(text)) => Err(Failure::Usage(text)),
        Err(spread::Stopped::Machine(text)) => Err(Failure::Machine(text)),
    }
}

/// `aspen aot-pack`. What compilers said was said when they ran.
pub fn pack(arguments: &PackArguments) -> Result<Answer, Failure> {
    refuse_to_overwrite(&arguments.output, std::iter::once(&arguments.graph))?;
    let said = spread::pack(&arguments.graph, &arguments.output);
    said.map(|()| Answer::clean(String::new())).map_err(|error| Failure::Input(error.to_string()))
}

/// `aspen launch`: the exit code is the command's.
pub fn launch(words: &[String]) -> Result<Answer, Failure> {
    match spread::launch(words) {
        Ok(0) => Ok(Answer::clean(String::new())),
        Ok(code) => std::process::exit(code.into()),
        Err(error) => Err(Failure::Machine(error.to_string())),
    }
}
