//! `aspen aot`, `aspen aot-pack` and `aspen launch`: what the commands of a graph for ninja do.

use std::path::{Path, PathBuf};

use aspen_devices::Database;
use aspen_driver::spread::{self, MACHINE_AT_FAULT};

use crate::{Answer, Failure, device_files, refuse_to_overwrite};

/// The commands of a graph.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Runs a target's ahead-of-time compiler on one image: a job of the graph that -fsycl-aot-graph writes
    ///
    /// Exit codes: 1 if the compiler does not take the image, 75 if this machine is at fault: the compiler is not there, a file cannot be
    /// read or written, or the compiler was killed.
    #[command(override_usage = "aspen aot [OPTIONS] --target <TARGET> -o <OUT> <INPUT> [-- <WORDS>...]\n       aspen aot --batch <FILE>")]
    Aot(Arguments),
    /// Puts the results of a graph's jobs into the program's images
    AotPack(PackArguments),
    /// Runs a command behind a launcher, and once more if the machine was at fault
    ///
    /// The machine was at fault if the exit code is 69, 71, 74, 75, 126, 127, 137, 143 or 255. ASPEN_AOT_ATTEMPT says which attempt it is;
    /// srun is told by SLURM_EXIT_ERROR to end with 75 for failures of its own, unless that is set.
    Launch {
        /// The launcher's words, then those of the command
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "WORDS")]
        words: Vec<String>,
    },
}

impl Command {
    /// Runs it. A launched command's exit code, or a batch's, ends the process.
    ///
    /// # Errors
    /// [`Failure::Machine`] if another machine may do better.
    pub fn run(&self) -> Result<Answer, Failure> {
        match self {
            Command::Aot(arguments) => compile(arguments),
            Command::AotPack(arguments) => pack(arguments),
            Command::Launch { words } => launch(words),
        }
    }
}

/// What `aspen aot` takes.
#[derive(clap::Args)]
pub struct Arguments {
    /// The target, as `aspen targets` lists them
    #[arg(long, required_unless_present = "batch")]
    target: Option<String>,
    /// The compiler, called as ocloc is for SPIR-V and as ptxas is for PTX; by default the target's own, with its options
    #[arg(long)]
    compiler: Option<PathBuf>,
    /// Adds to the target database, or changes it; has no say where --compiler is given
    #[arg(long = "device-config-file", value_name = "F.yaml")]
    config_files: Vec<PathBuf>,
    /// Jobs that a graph has for one worker; the file says all that is otherwise said by options
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "compiler", "config_files", "input", "output", "words"])]
    batch: Option<PathBuf>,
    /// A SPIR-V module or PTX
    #[arg(required_unless_present = "batch")]
    input: Option<PathBuf>,
    /// The result: machine code, with what it was made of
    #[arg(short, value_name = "OUT", required_unless_present = "batch")]
    output: Option<PathBuf>,
    /// Words for the compiler
    #[arg(last = true, value_name = "WORDS")]
    words: Vec<String>,
}

/// What `aspen aot-pack` takes.
#[derive(clap::Args)]
pub struct PackArguments {
    /// The graph.json beside a build.ninja that aspen++ wrote
    graph: PathBuf,
    /// Where the object goes that carries the program's images
    #[arg(short, value_name = "OUT", required = true)]
    output: PathBuf,
}

/// `aspen aot`.
fn compile(arguments: &Arguments) -> Result<Answer, Failure> {
    if let Some(batch) = &arguments.batch {
        return compile_batch(batch);
    }
    let (Some(target), Some(input), Some(output)) = (&arguments.target, &arguments.input, &arguments.output) else {
        return Err(Failure::Usage("a job has a target, an input and an output".into()));
    };
    refuse_to_overwrite(output, std::iter::once(input).chain(&arguments.config_files))?;
    // A job depends on nothing that its command does not name.
    let database = if arguments.compiler.is_some() { Database::builtin().clone() } else { device_files::named(&arguments.config_files)? };
    let job = spread::AotJob { target, compiler: arguments.compiler.as_deref(), words: &arguments.words, input, output };
    let messages = spread::compile(&database, &job).map_err(failure)?;
    if !messages.is_empty() {
        eprintln!("{messages}");
    }
    Ok(Answer::clean(String::new()))
}

fn failure(stopped: spread::Stopped) -> Failure {
    match stopped {
        spread::Stopped::Job(text) => Failure::Input(text),
        spread::Stopped::Usage(text) => Failure::Usage(text),
        spread::Stopped::Machine(text) => Failure::Machine(text),
    }
}

/// All jobs run; each that fails is told after its result's name. If the machine was at fault for one, another one gets what is left.
fn compile_batch(batch: &Path) -> Result<Answer, Failure> {
    let mut code = 0;
    let mut tell = |result: &Path, ended: Result<String, spread::Stopped>| match ended {
        Ok(messages) if messages.is_empty() => {}
        Ok(messages) => eprintln!("{messages}"),
        Err(stopped) => {
            code = if matches!(stopped, spread::Stopped::Machine(_)) { MACHINE_AT_FAULT } else { code.max(1) };
            let (spread::Stopped::Job(text) | spread::Stopped::Usage(text) | spread::Stopped::Machine(text)) = stopped;
            eprintln!("{}{}\naspen: error: {text}", spread::FAILED, result.display());
        }
    };
    spread::run_batch(batch, &mut tell).map_err(failure)?;
    match code {
        0 => Ok(Answer::clean(String::new())),
        code => std::process::exit(code),
    }
}

/// `aspen aot-pack`. What compilers said was said when they ran.
fn pack(arguments: &PackArguments) -> Result<Answer, Failure> {
    refuse_to_overwrite(&arguments.output, std::iter::once(&arguments.graph))?;
    let said = spread::pack(&arguments.graph, &arguments.output);
    said.map(|()| Answer::clean(String::new())).map_err(|error| Failure::Input(error.to_string()))
}

/// `aspen launch`: the exit code is the command's.
fn launch(words: &[String]) -> Result<Answer, Failure> {
    match spread::launch(words) {
        Ok(0) => Ok(Answer::clean(String::new())),
        Ok(code) => std::process::exit(code.into()),
        Err(error) => Err(Failure::Machine(error.to_string())),
    }
}
