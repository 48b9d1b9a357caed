//! `aspen propagate`: S0's IR pass alone, on bitcode or text. Findings are warnings and go to standard error.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use aspen_contract::{Aspect, AspectSet};
use aspen_devices::nearest;
use aspen_driver::{render_findings, takes_colors, write_whole};
use aspen_llvm::{AspectNames, Context, FixedTargets};

use crate::{Answer, Dialect, Failure};

/// Runs the command. Nothing is written unless everything went well.
pub fn run(input: &Path, output: &Path, dialect: Dialect, excluded: &[String], fixed: Option<&[String]>) -> Result<Answer, Failure> {
    if fixed.is_some() && dialect == Dialect::Seed {
        return Err(Failure::Usage("--fixed-targets writes metadata of DPC++'s dialect; it goes with --dialect dpcpp".into()));
    }
    let name = input.display().to_string();
    let bytes = fs::read(input).map_err(|error| {
        // Wrong usage comes first; whether a name is the module's own, no module tells then.
        let usage = aspects(&AspectNames::default(), excluded, "to exclude").err();
        usage.unwrap_or_else(|| Failure::Input(format!("cannot read '{name}': {error}")))
    })?;
    let context = Context::new();
    let module = context.parse(&name, &bytes)?;
    let is_bitcode = bytes.starts_with(b"BC");
    drop(bytes);
    let names = AspectNames::of(module.view());
    let excluded = aspects(&names, excluded, "to exclude")?;
    let fixed = fixed.map(|fixed| aspects(&names, fixed, "to fix targets by")).transpose()?.map(FixedTargets);
    let malformed = |error: aspen_llvm::MalformedMetadata| Failure::Input(format!("'{name}': malformed metadata: {error}"));
    let findings = aspen_llvm::propagate(module.view(), dialect.into(), &excluded, fixed.as_ref()).map_err(malformed)?;
    module.verify().map_err(|error| Failure::Input(error.to_string()))?;
    let is_shown = output.as_os_str() == "-";
    let is_text = if is_shown { !is_bitcode } else { output.extension().is_some_and(|extension| extension == "ll") };
    let written = if is_text { module.to_text().into_bytes() } else { module.to_bitcode() };
    if is_shown {
        let mut stdout = io::stdout().lock();
        stdout.write_all(&written).and_then(|()| stdout.flush()).map_err(|error| Failure::unwritten(&error))?;
    } else {
        write_whole(output, &written, false).map_err(|error| Failure::Input(error.to_string()))?;
    }
    eprint!("{}", render_findings(&findings, takes_colors(&io::stderr())));
    Ok(Answer::clean(String::new()))
}

/// Names of aspects, Aspen's or the module's own; `#103` is one without a name.
fn aspects(own: &AspectNames, names: &[String], what_for: &str) -> Result<AspectSet, Failure> {
    let known: Vec<&str> = Aspect::all().filter_map(Aspect::name).collect();
    let find = |name: &String| {
        own.find(name).ok_or_else(|| {
            let hint = nearest(name, known.iter().copied()).map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
            Failure::Usage(format!("there is no aspect '{name}' {what_for}{hint}"))
        })
    };
    names.iter().filter(|name| !name.is_empty()).map(find).collect()
}

impl From<Dialect> for aspen_llvm::Dialect {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Seed => aspen_llvm::Dialect::Seed,
            Dialect::Dpcpp => aspen_llvm::Dialect::Dpcpp,
        }
    }
}
