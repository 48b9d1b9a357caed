//! `aspen post-link` and `aspen aspect-filter`, also as programs of their own names. What they do is aspen-postlink's.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

use aspen_cli::device_files::database;
use aspen_driver::progress::Progress;
use aspen_postlink::arguments::Dialect;
use aspen_postlink::{Arguments, Error, Usage, filter};
use clap::Parser;

use crate::{Answer, Failure};

/// Drops the rows of a file table whose images a target cannot run
#[derive(Parser)]
#[command(name = "sycl-aspect-filter", version)]
pub struct FilterArguments {
    /// A target of the database, as `aspen targets` lists them
    #[arg(long, value_name = "TARGET", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    target: String,
    /// A table with a column of property sets, as post-link writes it
    #[arg(value_name = "IN.table")]
    input: PathBuf,
    /// The table to write
    #[arg(short, value_name = "OUT.table")]
    output: PathBuf,
    /// Adds to the target database, or changes it
    #[arg(long = "device-config-file", value_name = "F.yaml")]
    config_files: Vec<PathBuf>,
}

/// `sycl-post-link WORDS`: DPC++'s build systems know only that name. Source: DESIGN §2.
pub fn as_dpcpp() -> Result<Answer, Failure> {
    post_link(env::args_os().skip(1), Dialect::Dpcpp)
}

/// `aspen post-link WORDS`. `unmarked`: the dialect of the name that it was started by.
pub fn post_link(words: impl Iterator<Item = OsString>, unmarked: Dialect) -> Result<Answer, Failure> {
    let text = |word: OsString| word.into_string().map_err(|word| Failure::Usage(format!("an argument is no UTF-8: {}", word.display())));
    let words: Vec<String> = words.map(text).collect::<Result<_, _>>()?;
    let mut arguments = match Arguments::parse(words) {
        Ok(arguments) => arguments,
        Err(Usage::Help) => return Ok(Answer::clean(aspen_postlink::arguments::HELP.to_owned())),
        Err(Usage::Version) => return Ok(Answer::clean(format!("sycl-post-link {}\n", env!("CARGO_PKG_VERSION")))),
        Err(Usage::Wrong(text)) => return Err(Failure::Usage(text)),
    };
    arguments.unmarked = unmarked;
    arguments.jobs = Some(aspen_driver::parallelism(arguments.jobs));
    let mut progress = Progress::new("splitting", 0);
    let mut show = |done, total| progress.done_of(done, total);
    let messages = aspen_postlink::run_with(&arguments, &database(&arguments.config_files)?, &mut show).map_err(failure)?;
    drop(progress);
    if !messages.is_empty() {
        eprintln!("{messages}");
    }
    Ok(Answer::clean(String::new()))
}

/// `aspen aspect-filter`.
pub fn aspect_filter(arguments: FilterArguments) -> Result<Answer, Failure> {
    let database = database(&arguments.config_files)?;
    filter::filter(&arguments.input, &arguments.target, &arguments.output, &database).map_err(failure)?;
    Ok(Answer::clean(String::new()))
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Llvm(error) => error.into(),
        Error::Target { .. } => Failure::Usage(error.to_string()),
        _ => Failure::Input(error.to_string()),
    }
}
