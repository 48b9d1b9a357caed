//! The images a kernel's image imports device functions from, directly or through others. Source: S0 "the check over the closure"; DESIGN §8.
//!
//! A function is provided by the importer's own module, else by the one module that exports it, in an image which the device takes and
//! which is of the importer's kind. What a module provides counts from its registration to its end, so the closure is found anew whenever
//! modules come or go. All entry points of an image import the same functions (DESIGN §7.11), so a list of the image's is one of the kernel's.

use std::collections::BTreeSet;

use aspen_contract::{Need, Requirements, Source, Step};
use aspen_image::ImageKind;
use aspen_image::device_globals::FAILED_ASSERTION;

use super::Inner;
use super::module::{Candidate, Image, ImageId, untagged};
use crate::error::{Code, Error, Result};
use crate::names::{demangled, named};
use crate::specialise::has;
use crate::system::Device;

/// An image of a closure.
pub(super) struct Part<'r> {
    pub(super) id: ImageId,
    pub(super) image: &'r Image,
    /// The functions for which it was taken in; of the first part, the kernel.
    pub(super) symbols: Vec<String>,
    /// Which parts its own imports come from, in the order of the symbols.
    pub(super) imports: Vec<(String, usize)>,
    /// Imports that are called only under guards which do not hold on the device.
    idle: BTreeSet<String>,
}

/// Images that are loaded together, the kernel's first.
pub(super) struct Closure<'r> {
    pub(super) parts: Vec<Part<'r>>,
    /// Why it cannot be loaded, in words that follow the kernel's name: imports that nobody provides, or several modules.
    pub(super) problems: Vec<String>,
    /// Functions of parts that do not run on the device, since all that calls them is guarded.
    idle: BTreeSet<(usize, String)>,
}

/// What a closure needs, and what of it a device lacks.
pub(super) struct Needs {
    pub(super) requirements: Requirements,
    pub(super) unmet: Vec<Need>,
    pub(super) sources: Vec<Source>,
    /// What images made ahead of time have no code for, in words that follow the kernel's name; the device has it.
    pub(super) left_out: Vec<String>,
}

impl Inner {
    /// # Errors
    /// If a list of imports is damaged.
    pub(super) fn closure<'r>(&'r self, device: &Device, root: &Candidate<'r>) -> Result<Closure<'r>> {
        let mut closure =
            Closure { parts: vec![Part::new(root.id, root.image, vec![root.symbol.clone()])], problems: Vec::new(), idle: BTreeSet::new() };
        let mut next = 0;
        while next < closure.parts.len() {
            let importer = closure.parts[next].image;
            let mut symbols = importer.image.imports().map_err(|error| importer.damaged(&error))?;
            symbols.sort_unstable();
            let idle = idle(device, importer)?;
            // SPIR-V is made for the device, without what does not run there; other code is loaded as it is.
            if importer.image.kind() == ImageKind::SpirV {
                symbols.retain(|symbol| !idle.contains(symbol));
            }
            let mut imports = Vec::new();
            for symbol in symbols {
                match self.provider(device, closure.parts[next].id.0, importer, &symbol) {
                    Ok((id, image)) => {
                        let known = closure.parts.iter().position(|part| part.id == id);
                        let index = known.unwrap_or_else(|| {
                            closure.parts.push(Part::new(id, image, Vec::new()));
                            closure.parts.len() - 1
                        });
                        let wanted = &mut closure.parts[index].symbols;
                        if !wanted.contains(&symbol) {
                            wanted.push(symbol.clone());
                        }
                        imports.push((symbol, index));
                    }
                    Err(problem) => closure.problems.push(problem),
                }
            }
            (closure.parts[next].imports, closure.parts[next].idle) = (imports, idle);
            next += 1;
        }
        closure.idle = closure.not_run();
        Ok(closure)
    }

    fn provider(&self, device: &Device, own: usize, importer: &Image, symbol: &str) -> std::result::Result<(ImageId, &Image), String> {
        let mut found: Vec<(ImageId, &Image)> = Vec::new();
        let mut elsewhere: Vec<&str> = Vec::new();
        for (module, parsed) in self.modules.iter().map(|module| (module, module.parsed())) {
            let exporting = || parsed.exporting(symbol).iter().map(|index| (*index, &parsed.images[*index]));
            let suits = |image: &Image| device.real().fit(&image.image).filter(|_| image.image.kind() == importer.image.kind());
            let best = exporting().filter_map(|(index, image)| Some((suits(image)?, index, image)));
            // The first of equally good ones.
            let best = best.reduce(|best, other| if other.0 > best.0 { other } else { best });
            match best {
                Some((_, index, image)) if module.number == own => return Ok(((own, index), image)),
                Some((_, index, image)) => found.push(((module.number, index), image)),
                None => elsewhere.extend(exporting().map(|(_, image)| image.label.as_str())),
            }
        }
        let name = named(symbol);
        match found[..] {
            [one] => Ok(one),
            [] => {
                let mut text = format!("calls device function {name}, which no loaded module provides for '{}'", importer.image.target());
                if !elsewhere.is_empty() {
                    text += &format!(" (for other devices {} does)", elsewhere.join(", "));
                }
                Err(text + "; load the library that defines it before the launch")
            }
            _ => {
                let labels: Vec<&str> = found.iter().map(|(_, image)| image.label.as_str()).collect();
                Err(format!("calls device function {name}, which several modules define: {}; load only one of them", labels.join(", ")))
            }
        }
    }
}

/// The imports of an image that are called only under guards which do not hold on the device. Source: DESIGN §7.8.
fn idle(device: &Device, importer: &Image) -> Result<BTreeSet<String>> {
    let guards = importer.image.import_guards().map_err(|error| importer.damaged(&error))?;
    if guards.is_empty() {
        return Ok(BTreeSet::new());
    }
    let has = has(device);
    Ok(guards.into_iter().filter(|(_, guards)| !guards.iter().any(|guard| guard.holds_with(&has))).map(|(symbol, _)| symbol).collect())
}

impl<'r> Part<'r> {
    fn new(id: ImageId, image: &'r Image, symbols: Vec<String>) -> Part<'r> {
        Part { id, image, symbols, imports: Vec::new(), idle: BTreeSet::new() }
    }
}

impl Closure<'_> {
    fn not_run(&self) -> BTreeSet<(usize, String)> {
        if self.parts.iter().all(|part| part.idle.is_empty()) {
            return BTreeSet::new();
        }
        let all = self.parts.iter().enumerate().flat_map(|(index, part)| part.symbols.iter().map(move |symbol| (index, symbol.clone())));
        let mut out: BTreeSet<(usize, String)> = all.collect();
        // From the kernel on; all entry points of an image import the same.
        let (mut seen, mut work) = (BTreeSet::from([0]), vec![0]);
        out.retain(|(index, _)| *index != 0);
        while let Some(part) = work.pop().map(|index| &self.parts[index]) {
            for (symbol, from) in part.imports.iter().filter(|(symbol, _)| !part.idle.contains(symbol)) {
                out.remove(&(*from, symbol.clone()));
                work.extend(seen.insert(*from).then_some(*from));
            }
        }
        out
    }

    /// What all parts need together. `kernel` is the kernel's name for people.
    ///
    /// # Errors
    /// If a part's requirements are damaged, or contradict those of another part.
    pub(super) fn needs(&self, device: &Device, kernel: &str) -> Result<Needs> {
        let mut all = Needs { requirements: Requirements::default(), unmet: Vec::new(), sources: Vec::new(), left_out: Vec::new() };
        let wanted = self.parts.iter().enumerate().flat_map(|(index, part)| part.symbols.iter().map(move |symbol| (index, part, symbol)));
        for (index, part, symbol) in wanted.filter(|(index, _, symbol)| !self.idle.contains(&(*index, (*symbol).clone()))) {
            // What else stands in the image is not asked for.
            let mut own = part.image.image.requirements_of(symbol).map_err(|error| part.image.damaged(&error))?;
            let decided = part.image.image.decided(symbol).map_err(|error| part.image.damaged(&error))?;
            // Bodies that were chosen for the target run here, too.
            own.aspects.extend(decided.taken);
            all.left_out.extend(decided.left_out.iter().map(|need| {
                let target = part.image.image.target();
                format!("needs {need}, which its image for '{target}' was made without: the target's entry in the device database lacks it")
            }));
            for need in device.unmet(&own) {
                if !all.unmet.contains(&need) {
                    all.sources.extend(self.source(index, symbol, &need, kernel));
                    all.unmet.push(need);
                }
            }
            all.requirements.also(own).map_err(|what| {
                let text = format!("kernel '{kernel}' cannot run: it requires {what} than {}, which it calls", part.image.label);
                Error::new(Code::Build, text)
            })?;
        }
        Ok(all)
    }

    /// Why a function of a part has the need: what its image says, and the calls from there up to the kernel.
    fn source(&self, index: usize, symbol: &str, need: &Need, kernel: &str) -> Option<Source> {
        // Explanations are a courtesy: damaged ones must not hide that the kernel cannot run.
        let known = self.parts[index].image.image.sources(symbol).unwrap_or_default().into_iter().find(|source| source.need == *need);
        if index == 0 {
            return known;
        }
        let step = |function: String| Step { function, place: None, remark: None };
        let mut source = known.unwrap_or_else(|| Source { need: need.clone(), declared: false, chain: vec![step(demangled(symbol))] });
        let mut above = Vec::new();
        let (mut index, mut symbol) = (index, symbol.to_owned());
        // Images that import from each other must not keep it going round.
        for _ in &self.parts {
            let Some((importer, caller, calls)) = self.calls_of(index, &symbol) else { break };
            above.extend(calls);
            (index, symbol) = (importer, caller);
            if index == 0 {
                break;
            }
        }
        // Without a chain that ends at the kernel, only that it is called from there is known.
        if index != 0 || above.is_empty() {
            above.push(step(kernel.to_owned()));
        }
        source.chain.extend(above);
        Some(source)
    }

    /// Who imports a part's function: the part, its function or kernel that comes to it, and the calls from there up to that one.
    fn calls_of(&self, index: usize, symbol: &str) -> Option<(usize, String, Vec<Step>)> {
        let importing = |part: &&(usize, &Part<'_>)| part.1.imports.iter().any(|(wanted, from)| wanted == symbol && *from == index);
        let parts: Vec<(usize, &Part<'_>)> = self.parts.iter().enumerate().collect();
        parts.iter().filter(|part| importing(part)).find_map(|(importer, part)| {
            part.symbols.iter().find_map(|own| {
                let calls = part.image.image.import_chain(own, symbol);
                (!calls.is_empty()).then(|| (*importer, own.clone(), calls))
            })
        })
    }

    /// # Errors
    /// [`Code::Build`] with everything that keeps the closure from being loaded.
    pub(super) fn complete(&self, device: &Device, kernel: &str) -> Result<()> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let mut text = format!("kernel '{kernel}' cannot run on '{}':", device.real().facts().name);
        for problem in &self.problems {
            text += &format!("\n  its image {problem}");
        }
        Err(Error::new(Code::Build, text))
    }
}

impl Closure<'_> {
    /// # Errors
    /// [`Code::KernelNotSupported`] if an image has device globals and the device keeps no variables.
    pub(super) fn keeps_variables(&self, device: &Device, kernel: &str) -> Result<()> {
        if device.real().keeps_variables() {
            return Ok(());
        }
        for part in &self.parts {
            let globals = part.image.image.device_globals().map_err(|error| part.image.damaged(&error))?;
            // Failed assertions are printed there, and end no program.
            if let Some(global) = globals.iter().find(|global| global.id != FAILED_ASSERTION) {
                let text = format!(
                    "kernel '{kernel}' cannot run on '{}':\n  its image has the device_global {}, and the device's driver keeps no variables of \
                     programs between kernels",
                    device.real().facts().name,
                    named(untagged(&global.id))
                );
                return Err(Error::new(Code::KernelNotSupported, text));
            }
        }
        Ok(())
    }
}
