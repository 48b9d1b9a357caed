//! Shared libraries as providers of device functions: what a kernel needs of a device through what it imports.
//!
//! The runtime asks the modules that are loaded; a link and `aspen check` ask the libraries that will be. Source: DESIGN §4, §6, §7.7.

mod elf;
mod search;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use aspen_contract::{Guard, Requirements, Source, Step};
use aspen_image::{DeviceImage, ImageKind, find};
use aspen_llvm::readable_name;

pub use elf::Dynamic;
pub use search::{Folders, Found, closure, expanded};

/// A program or shared library with its device images.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Module {
    /// The name for people.
    pub name: String,
    /// Its images. Of a file that is damaged there are none: it provides nothing that could be checked.
    pub images: Vec<DeviceImage<'static>>,
}

/// Which images can be linked with each other: the same kind of code and, of machine code, for the same machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// What the image is.
    pub kind: ImageKind,
    /// For which triple.
    pub triple: String,
}

/// What a kernel needs through its imports.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Imported {
    /// All of it.
    pub requirements: Requirements,
    /// Why, up to the function that the kernel imports, with that function's symbol.
    pub sources: Vec<(Source, String)>,
    /// Functions that no module provides, by symbol.
    pub missing: BTreeSet<String>,
}

/// The modules of a program: the program first, then what it needs, as the loader finds it now.
pub fn of_program(path: &Path) -> Vec<Module> {
    let Some(program) = Found::read(path) else { return Vec::new() };
    // The loader knows the program by its real name.
    let root = Found { path: fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()), ..program.clone() };
    let libraries = closure(std::slice::from_ref(&root), &Folders::of_loader(&root.path));
    std::iter::once(&program).chain(&libraries).map(Module::of).collect()
}

impl Module {
    /// The images of a library.
    pub fn of(library: &Found) -> Module {
        let name = library.path.display().to_string();
        let entries = find(&library.bytes, &name).map_or_else(|_| Vec::new(), |container| container.entries);
        Module { name, images: entries.into_iter().map(|found| DeviceImage::new(found.entry.into_owned())).collect() }
    }

    /// The images that export a device function.
    pub fn exporting(&self, symbol: &str) -> impl Iterator<Item = &DeviceImage<'static>> {
        self.images.iter().filter(move |image| image.exports().is_ok_and(|exports| exports.iter().any(|export| export == symbol)))
    }
}

impl Form {
    /// The image's.
    pub fn of(image: &DeviceImage<'_>) -> Form {
        Form { kind: image.kind(), triple: image.triple().unwrap_or_default().to_owned() }
    }

    /// Whether images of this form can take functions from that one.
    pub fn takes(&self, image: &DeviceImage<'_>) -> bool {
        image.kind() == self.kind && (self.kind == ImageKind::SpirV || image.triple() == Some(&self.triple))
    }
}

/// What the functions of those symbols need, and what they import in turn. `own` is the importer's module, if it is one of these, which is
/// asked before the others; else the first that exports a function counts. What `guards` tells of is called under one of those guards only.
pub fn imported<'s>(
    modules: &[Module],
    own: Option<usize>,
    form: &Form,
    symbols: impl IntoIterator<Item = &'s String>,
    guards: &BTreeMap<String, BTreeSet<Guard>>,
) -> Imported {
    let mut out = Imported::default();
    let mut known = BTreeSet::new();
    // What is asked for, under which guard, the first import on the way there, the calls above it from there on up to that one, and who asks.
    struct Asked {
        symbol: String,
        under: Guard,
        first: String,
        above: Vec<Step>,
        asks: Option<usize>,
    }
    let always = BTreeSet::from([Guard::default()]);
    let ask = |symbol: &String| {
        let asked =
            |under: &Guard| Asked { symbol: symbol.clone(), under: under.clone(), first: symbol.clone(), above: Vec::new(), asks: own };
        guards.get(symbol).unwrap_or(&always).iter().map(asked).collect::<Vec<_>>()
    };
    let mut work: VecDeque<Asked> = symbols.into_iter().flat_map(ask).collect();
    while let Some(Asked { symbol, under, first, above, asks }) = work.pop_front() {
        let of = |index: usize| modules[index].exporting(&symbol).find(|image| form.takes(image)).map(|image| (index, image));
        let Some((index, image)) = asks.and_then(of).or_else(|| (0..modules.len()).find_map(of)) else {
            out.missing.insert(symbol);
            continue;
        };
        if !known.insert((index, symbol.clone(), under.clone())) {
            continue;
        }
        let mut needed = image.requirements_of(&symbol).unwrap_or_default();
        if !under.is_always() {
            needed = needed.under([&under]);
        }
        let explained = image.sources(&symbol).unwrap_or_default();
        let bare = || vec![Step { function: readable_name(&symbol), place: None, remark: None }];
        for need in needed.needs() {
            let found = explained.iter().find(|source| source.need == need).cloned();
            let mut source = found.unwrap_or_else(|| Source { need, declared: false, chain: bare() });
            source.chain.extend(above.iter().cloned());
            out.sources.push((source, first.clone()));
        }
        // Two required sizes are the launch's error, and the kernel's own, or the first, is the one that is checked.
        let _ = out.requirements.also(needed);
        let guards = image.import_guards().unwrap_or_default();
        for import in image.imports().unwrap_or_default() {
            let mut calls = image.import_chain(&symbol, &import);
            // An image that says nothing more says which functions it imports.
            if calls.is_empty() {
                calls = bare();
            }
            calls.extend(above.iter().cloned());
            for guard in guards.get(&import).unwrap_or(&always) {
                let under = under.and(guard);
                let asked = Asked { symbol: import.clone(), under, first: first.clone(), above: calls.clone(), asks: Some(index) };
                work.extend((!asked.under.is_never()).then_some(asked));
            }
        }
    }
    out
}
