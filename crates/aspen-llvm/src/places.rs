//! Debug locations as places that people see, and their order.
//!
//! Source order inside a function means: the file the function stands in first, other files (macros, headers) by name, then line, column.

use std::cmp::Ordering;
use std::collections::HashMap;

use aspen_contract::Place;
use llvm_sys::prelude::LLVMMetadataRef;

use crate::facts::Facts;
use crate::ir::{DebugFile, Value};

/// A place with its file as an index, so that comparing many instructions copies no names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spot {
    file: usize,
    line: u32,
    column: u32,
}

/// The files of one module.
pub(crate) struct Files<'f> {
    shown: HashMap<&'f str, &'f str>,
    names: Vec<String>,
    by_name: HashMap<String, usize>,
    by_node: HashMap<LLVMMetadataRef, usize>,
}

impl<'f> Files<'f> {
    pub(crate) fn new(facts: &'f Facts) -> Self {
        let shown = facts.files.iter().map(|file| (file.debug.as_str(), file.shown.as_str())).collect();
        Self { shown, names: Vec::new(), by_name: HashMap::new(), by_node: HashMap::new() }
    }

    fn intern(&mut self, name: &str) -> usize {
        if let Some(&index) = self.by_name.get(name) {
            return index;
        }
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }

    pub(crate) fn file(&mut self, file: DebugFile<'_>) -> usize {
        if let Some(&index) = self.by_node.get(&file.raw()) {
            return index;
        }
        let name = file.name();
        let shown = self.shown.get(name.as_str()).map_or(name.clone(), |shown| (*shown).to_owned());
        let index = self.intern(&shown);
        self.by_node.insert(file.raw(), index);
        index
    }

    /// Where an instruction stands in its function; `None` without a location and for code that clang places on line 0.
    pub(crate) fn of(&mut self, instruction: Value<'_>) -> Option<Spot> {
        self.of_location(instruction.location()?)
    }

    /// Where an instruction was written, whatever function holds it now.
    pub(crate) fn written(&mut self, instruction: Value<'_>) -> Option<Spot> {
        self.at(instruction.location()?)
    }

    pub(crate) fn of_location(&mut self, location: crate::ir::Location<'_>) -> Option<Spot> {
        self.at(location.outermost())
    }

    fn at(&mut self, location: crate::ir::Location<'_>) -> Option<Spot> {
        let (line, column) = (location.line(), location.column());
        if line == 0 {
            return None;
        }
        Some(Spot { file: self.file(location.file()?), line, column })
    }

    pub(crate) fn spot(&mut self, place: &Place) -> Spot {
        Spot { file: self.intern(&place.file), line: place.line, column: place.column }
    }

    /// A line of which the column is not known.
    pub(crate) fn line(&self, file: usize, line: u32) -> Place {
        self.place(Spot { file, line, column: 0 })
    }

    pub(crate) fn place(&self, spot: Spot) -> Place {
        Place { file: self.names[spot.file].clone(), line: spot.line, column: spot.column }
    }

    /// Source order in a function that stands in `main`.
    pub(crate) fn compare(&self, main: Option<usize>, a: Spot, b: Spot) -> Ordering {
        let key = |spot: Spot| (Some(spot.file) != main, &self.names[spot.file], spot.line, spot.column);
        key(a).cmp(&key(b))
    }

    /// Source order with unknown places last.
    pub(crate) fn compare_known(&self, main: Option<usize>, a: Option<Spot>, b: Option<Spot>) -> Ordering {
        match (a, b) {
            (Some(a), Some(b)) => self.compare(main, a, b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        }
    }
}
