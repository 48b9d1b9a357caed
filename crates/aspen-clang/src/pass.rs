//! One pass: facts in, metadata and report out.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use aspen_analysis::Level;
use aspen_analysis::{Finding, Launch, PassReport, Strict, Summary, analyse, left_after, strict};
use aspen_contract::Place;
use aspen_llvm::{Facts, ModuleRef, attach, summarise};

use crate::settings::{Group, Settings, Severity};

/// Why a pass could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The two halves of the plugin do not fit together.
    #[error("the clang plugin's facts cannot be read: {0}; its two halves are of different versions, reinstall Aspen")]
    Facts(postcard::Error),
    /// The same.
    #[error("the clang plugin's settings cannot be read: {0}; its two halves are of different versions, reinstall Aspen")]
    Settings(serde_json::Error),
    /// The user asked for them.
    #[error("cannot write the facts to '{path}': {source}")]
    KeepFacts {
        /// The plugin's argument.
        path: String,
        /// The system's words.
        source: io::Error,
    },
    /// The report would be lost.
    #[error("cannot write the report '{path}': {source}")]
    Report {
        /// The plugin's argument.
        path: String,
        /// The system's words.
        source: io::Error,
    },
    /// A pragma makes the warning an error, and no driver is there to count it.
    #[error("{count} use(s) of aspects that are not listed are errors here, by '#pragma clang diagnostic error'")]
    Findings {
        /// How many were printed.
        count: usize,
    },
}

/// An analysis pass.
pub fn module(module: ModuleRef<'_>, facts: &[u8], settings: &[u8]) -> Result<(), Error> {
    let (facts, settings) = read(facts, settings)?;
    let summary = summarise(module, &facts);
    let analysis = analyse(&summary);
    attach(module, &facts, &summary, &analysis, settings.dialect.into());
    let silent = silent_places(&facts, &settings);
    let listed = analysis.findings().iter().filter(|finding| finding.declared_at.as_ref().is_none_or(|place| !silent.contains(place)));
    let findings = listed.filter_map(|one| match settings.severity(Group::Aspects, one.place.as_ref()) {
        Severity::Ignored => None,
        severity => Some(Finding { pragma: severity.level(), ..one.clone() }),
    });
    let indirect: HashSet<&str> =
        facts.kernels.iter().filter(|kernel| kernel.calls_indirectly).map(|kernel| kernel.symbol.as_str()).collect();
    let strict: Vec<Strict> =
        strict(&summary, &|kernel| indirect.contains(kernel)).into_iter().filter_map(|one| with_pragma(one, &settings)).collect();
    if settings.report.is_empty() {
        let mut errors = 0;
        for finding in findings {
            let level = finding.pragma.unwrap_or(Level::Warning);
            errors += usize::from(level == Level::Error);
            eprint!("{}", finding.text(level));
        }
        for one in &strict {
            let level = one.pragma.unwrap_or(Level::Warning);
            errors += usize::from(level == Level::Error);
            eprint!("{}", one.text(level));
        }
        return if errors == 0 { Ok(()) } else { Err(Error::Findings { count: errors }) };
    }
    let findings = findings.collect();
    let external =
        imported_calls(&summary).filter_map(|place| Some((place.clone(), settings.severity(Group::External, Some(place)).told()?)));
    let external = external.collect();
    write(
        &settings,
        &PassReport { launches: launches_of(facts), summary: Some(summary), findings, strict, external, ..PassReport::default() },
    )
}

/// Where functions are called that other units define, or none.
fn imported_calls(summary: &Summary) -> impl Iterator<Item = &Place> {
    let calls = summary.functions.iter().flat_map(|function| &function.calls);
    calls.filter(|call| !summary.function(call.callee).defined).filter_map(|call| call.place.as_ref())
}

/// With what a pragma at its place says; `None` if that is to say nothing.
fn with_pragma(strict: Strict, settings: &Settings) -> Option<Strict> {
    match settings.severity(Group::Strict, strict.place.as_ref()) {
        Severity::Ignored => None,
        severity => Some(Strict { pragma: severity.level(), ..strict }),
    }
}

/// Attributes of system headers: users are not told that those are wrong, unless they ask. Source: DESIGN §4.
fn silent_places<'f>(facts: &'f Facts, settings: &Settings) -> BTreeSet<&'f Place> {
    let declared = facts.functions.iter().filter(|_| !settings.system_headers).filter_map(|function| function.declared.as_ref());
    declared.filter(|declared| declared.system_header).filter_map(|declared| declared.place.as_ref()).collect()
}

/// An analysis pass whose module has been optimised since: notes in the report what is left of `double`. Source: DESIGN §7.12.
pub fn optimized(module: ModuleRef<'_>, settings: &[u8]) -> Result<(), Error> {
    let settings = read_settings(settings)?;
    if settings.report.is_empty() {
        return Ok(()); // nobody asks
    }
    let fail = |source| Error::Report { path: settings.report.clone(), source };
    let bytes = fs::read(&settings.report).map_err(fail)?;
    let mut report = PassReport::from_bytes(&bytes).map_err(|error| fail(io::Error::other(error)))?;
    let after = summarise(module, &Facts::default());
    report.strict = left_after(report.strict, &after);
    if let Some(summary) = &mut report.summary {
        summary.note_optimized(&after);
    }
    write(&settings, &report)
}

/// A pass that only reports what is launched.
pub fn launches(facts: &[u8], settings: &[u8]) -> Result<(), Error> {
    let (facts, settings) = read(facts, settings)?;
    if settings.report.is_empty() {
        return Ok(());
    }
    let pragmas = !settings.pragmas.is_empty();
    write(&settings, &PassReport { tag: settings.tag.clone(), launches: launches_of(facts), pragmas, ..PassReport::default() })
}

/// Both halves of a hand-over. `facts=FILE` shows what the plugin saw, as JSON.
fn read(facts: &[u8], settings: &[u8]) -> Result<(Facts, Settings), Error> {
    let (facts, settings) = (Facts::from_bytes(facts).map_err(Error::Facts)?, read_settings(settings)?);
    if !settings.facts.is_empty() {
        let fail = |source| Error::KeepFacts { path: settings.facts.clone(), source };
        let text = serde_json::to_vec(&facts).map_err(|error| fail(error.into()))?;
        fs::write(&settings.facts, text).map_err(fail)?;
    }
    Ok((facts, settings))
}

fn read_settings(bytes: &[u8]) -> Result<Settings, Error> {
    serde_json::from_slice(bytes).map_err(Error::Settings)
}

fn launches_of(facts: Facts) -> Vec<Launch> {
    let launch = |kernel: aspen_llvm::facts::KernelFacts| Launch {
        symbol: kernel.symbol,
        name: kernel.name,
        internal: kernel.internal,
        closure_size: kernel.closure_size,
        layout: kernel.layout,
        known: kernel.known,
        place: kernel.place,
    };
    facts.kernels.into_iter().map(launch).collect()
}

/// Writes the report so that a reader sees all of it or nothing.
fn write(settings: &Settings, report: &PassReport) -> Result<(), Error> {
    let fail = |source| Error::Report { path: settings.report.clone(), source };
    let path = Path::new(&settings.report);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = fs::File::create(&temporary).and_then(|mut file| file.write_all(&report.to_bytes()));
    written.and_then(|()| fs::rename(&temporary, path)).map_err(|error| {
        // The first error is the one to report; that there may be nothing to remove is part of it.
        let _ = fs::remove_file(&temporary);
        fail(error)
    })
}
