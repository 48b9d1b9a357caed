//! Which objects and archive members take part in the link.
//!
//! Objects are simply all of them. The device code of an archive member counts exactly if the host link takes the member, so where archives
//! or linker scripts could hold device code, a trial link says what the linker takes; device functions that only a member left out would
//! define make the linker take it (`-u`), until nothing more is missing. Source: DESIGN §5.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use aspen_analysis::Summary;
use aspen_analysis::summary::Role;

use super::files::{LinkUnit, LoadedFile, Nature, Trace, TraceLine, load};
use super::host::HostLink;
use crate::error::Error;
use crate::session::Session;

/// The files that take part.
#[derive(Debug)]
pub struct Selection {
    files: Vec<Selected>,
    /// Symbols that the linker must look for, so that it takes their archive members.
    pub forced: Vec<String>,
    /// What the linker said, if it was asked.
    pub trace: Option<Trace>,
}

#[derive(Debug)]
struct Selected {
    file: LoadedFile,
    /// Of an archive, the names of the members that were taken.
    members: Option<Vec<String>>,
}

impl Selection {
    /// The files that device code was read from: what linker scripts name, and members of thin archives, among them.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|selected| selected.file.path.as_path())
    }

    /// Decides by the files alone, or asks the linker if that is not enough. `stand_in` makes the registration object of a trial link.
    ///
    /// # Errors
    /// If a file cannot be read or the linker fails.
    pub fn new(
        session: &Session<'_>,
        host: &HostLink<'_>,
        output: &Path,
        stand_in: impl FnOnce() -> Result<PathBuf, Error>,
    ) -> Result<Selection, Error> {
        let mut given = Vec::new();
        for input in host.inputs {
            given.push(load(&input.path, input.name.clone())?);
        }
        for library in host.libraries() {
            given.push(load(&library, library.display().to_string())?);
        }
        if !given.iter().any(|file| file.nature() == Nature::AskLinker) {
            let objects = given.into_iter().filter(|file| file.nature() == Nature::Direct);
            return Ok(Selection {
                files: objects.map(|file| Selected { file, members: None }).collect(),
                forced: Vec::new(),
                trace: None,
            });
        }
        let registration = stand_in()?;
        let mut forced = Vec::new();
        loop {
            let trace = host.ask(session, &registration, &forced, output)?;
            let mut selection = select(&trace, &given, &registration)?;
            let missing = selection.missing()?;
            if missing.iter().all(|symbol| forced.contains(symbol)) {
                (selection.forced, selection.trace) = (forced, Some(trace));
                return Ok(selection);
            }
            forced.extend(missing);
        }
    }

    /// The units that take part, in the order of the link.
    ///
    /// # Errors
    /// If a file, or its device code, is damaged.
    pub fn units(&self) -> Result<Vec<LinkUnit<'_>>, Error> {
        Ok(self.partition()?.0)
    }

    /// Units that take part, and those of archive members that were left out.
    fn partition(&self) -> Result<(Vec<LinkUnit<'_>>, Vec<LinkUnit<'_>>), Error> {
        let (mut taken, mut left): (Vec<LinkUnit<'_>>, Vec<LinkUnit<'_>>) = (Vec::new(), Vec::new());
        let mut by_tag: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for selected in &self.files {
            for unit in selected.file.units()? {
                // The linker tells names only. Where several members have one, any of them may be meant: what is too much is never launched.
                let is_meant = |names: &Vec<String>| unit.member.as_ref().is_some_and(|member| names.contains(&member.name));
                if !selected.members.as_ref().is_none_or(is_meant) {
                    left.push(unit);
                    continue;
                }
                // An object that is named twice counts once; whether its host code may stand there twice, the linker says.
                let same_tag = by_tag.entry(unit.unit.header.tag.clone()).or_default();
                if same_tag.iter().all(|&known| taken[known].unit != unit.unit) {
                    same_tag.push(taken.len());
                    taken.push(unit);
                }
            }
        }
        Ok((taken, left))
    }

    /// Device functions that units need and only members left out define.
    fn missing(&self) -> Result<Vec<String>, Error> {
        let (taken, left) = self.partition()?;
        let mut defined = BTreeSet::new();
        let mut needed = BTreeSet::new();
        for summary in summaries(&taken)? {
            for function in summary.functions.into_iter().filter(|function| function.role == Role::Exported) {
                if function.defined {
                    defined.insert(function.symbol)
                } else {
                    needed.insert(function.symbol)
                };
            }
        }
        let mut offered = BTreeSet::new();
        for summary in summaries(&left)? {
            let exports = summary.functions.into_iter().filter(|function| function.role == Role::Exported && function.defined);
            offered.extend(exports.map(|function| function.symbol));
        }
        Ok(needed.difference(&defined).filter(|symbol| offered.contains(*symbol)).cloned().collect())
    }
}

fn summaries(units: &[LinkUnit<'_>]) -> Result<Vec<Summary>, Error> {
    units.iter().flat_map(|unit| unit.unit.blobs.iter().map(move |blob| unit.summary(blob))).collect()
}

/// The files of a trace that can hold device code, in its order; archives that were only looked into come last.
fn select(trace: &Trace, given: &[LoadedFile], registration: &Path) -> Result<Selection, Error> {
    let mut files: Vec<Selected> = Vec::new();
    let named =
        |path: &Path| given.iter().find(|file| file.path == path).map_or_else(|| path.display().to_string(), |file| file.name.clone());
    let mut add = |path: &Path, member: Option<&str>| -> Result<(), Error> {
        let known = files.iter_mut().find(|selected| selected.file.path == path);
        if let Some(selected) = known {
            if let (Some(members), Some(member)) = (&mut selected.members, member) {
                members.push(member.to_owned());
            }
            return Ok(());
        }
        let file = load(path, named(path))?;
        match file.nature() {
            Nature::Direct => files.push(Selected { file, members: None }),
            Nature::AskLinker if file.is_archive() => {
                files.push(Selected { file, members: Some(member.map(str::to_owned).into_iter().collect()) });
            }
            Nature::AskLinker | Nature::Nothing => {}
        }
        Ok(())
    };
    let mut thin: BTreeMap<&Path, Vec<PathBuf>> = BTreeMap::new();
    for line in &trace.lines {
        match line {
            TraceLine::Member { archive, member } => {
                let files = match thin.entry(archive) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(match given.iter().find(|file| file.path == *archive) {
                        Some(file) => file.thin_members()?,
                        None => load(archive, named(archive))?.thin_members()?,
                    }),
                };
                if files.is_empty() {
                    add(archive, Some(member))?;
                }
                let whole = files.iter().any(|file| file == Path::new(member));
                // lld tells the name without its folder. Where several files have one, any of them may be meant.
                let is_meant = |file: &Path| if whole { file == Path::new(member) } else { file.ends_with(member) };
                files.iter().filter(|file| is_meant(file)).try_for_each(|file| add(file, None))?;
            }
            // The linker may print other things than files there; those are not ours to judge.
            TraceLine::File(path) if path != registration && fs::metadata(path).is_ok_and(|found| found.is_file()) => add(path, None)?,
            TraceLine::File(_) => {}
        }
    }
    for file in given.iter().filter(|file| file.is_archive()) {
        add(&file.path, None)?;
    }
    let same = |one: &Path, other: &Path| matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other);
    for archive in given {
        for path in archive.thin_members()? {
            if !files.iter().any(|selected| same(&selected.file.path, &path)) {
                let name = format!("{}({})", archive.name, path.display());
                files.push(Selected { file: load(&path, name)?, members: Some(Vec::new()) });
            }
        }
    }
    Ok(Selection { files, forced: Vec::new(), trace: None })
}
