//! The shared libraries of a link's line: which of the device functions that the program imports they export.
//!
//! Only the linker knows what `-l`, linker scripts and its own configuration stand for, so a link that says what it takes tells. It is made
//! only where something is imported. Source: DESIGN §4, §7.6.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use aspen_analysis::Summary;
use aspen_analysis::imports::is_import;
use aspen_analysis::split::ImagePlan;
use aspen_image::ImageKind;

use super::files::TraceLine;
use super::host::HostLink;
use super::select::Selection;
use crate::error::Error;
use crate::libraries::{Dynamic, Folders, Form, Found, Imported, Module, closure, expanded, imported};
use crate::session::Session;
use crate::targets::{Family, Target};

/// What libraries of the line provide, with all that they need themselves.
#[derive(Debug, Default)]
pub struct Provided {
    modules: Vec<Module>,
    /// Libraries that the linker leaves out since the host's code needs nothing of them (`--as-needed`), and device code does.
    pub left_out: Vec<PathBuf>,
}

/// Who exports a device function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Provider {
    /// A library, in images that the importer's can be linked with.
    Found,
    /// A library, but only for these targets.
    Elsewhere {
        /// The library.
        library: String,
        /// The targets.
        targets: Vec<String>,
    },
    /// None.
    Nobody,
}

/// The device functions that units import and none of them defines.
pub fn open_imports(summaries: &[Summary]) -> BTreeSet<String> {
    let all = || summaries.iter().flat_map(|summary| &summary.functions);
    let defined: BTreeSet<&str> = all().filter(|function| function.defined).map(|function| function.symbol.as_str()).collect();
    let imported = all().filter(|function| is_import(function) && !defined.contains(function.symbol.as_str()));
    imported.map(|function| function.symbol.clone()).collect()
}

/// The form of a target's images; `None` if they cannot be linked with others at run time.
fn form(target: &Target) -> Option<Form> {
    let kind = match target.family {
        Family::NativeCpu => ImageKind::Object,
        Family::Spirv | Family::Known => ImageKind::SpirV,
        Family::Ptx => ImageKind::Ptx,
        Family::Gen | Family::AmdGpu => return None,
    };
    Some(Form { kind, triple: target.triple().to_owned() })
}

impl Provided {
    /// Asks the linker what it takes, unless it has said so when the units were selected. `stand_in` makes the registration object.
    ///
    /// # Errors
    /// If the linker fails, as it would for the program.
    pub fn find(
        session: &Session<'_>,
        host: &HostLink<'_>,
        selection: &Selection,
        output: &Path,
        imports: &BTreeSet<String>,
        stand_in: impl FnOnce() -> Result<PathBuf, Error>,
    ) -> Result<Provided, Error> {
        let asked;
        let trace = match &selection.trace {
            Some(trace) => trace,
            None => {
                asked = host.ask(session, &stand_in()?, &selection.forced, output)?;
                &asked
            }
        };
        let mut line: Vec<Found> = Vec::new();
        for path in trace.lines.iter().filter_map(|one| if let TraceLine::File(path) = one { Some(path) } else { None }) {
            let is_new = || line.iter().all(|known| known.path != *path);
            // Objects of the line are no libraries; they need nothing by name.
            if let Some(found) = Some(path).filter(|_| is_new()).and_then(|path| Found::read(path)).filter(is_shared) {
                line.push(found);
            }
        }
        let named = host.run_folders().iter().flat_map(|folder| expanded(std::slice::from_ref(folder), output)).collect();
        let needed = closure(&line, &Folders::of_linker(named));
        let loaded = fs::read(output).map(|bytes| Dynamic::of(&bytes).needed).unwrap_or_default();
        let is_loaded = |library: &Found| {
            let reached = line.iter().chain(&needed).filter(|other| loaded.iter().any(|name| other.is_called(name)));
            loaded.iter().any(|name| library.is_called(name))
                || reached.flat_map(|other| &other.dynamic.needed).any(|name| library.is_called(name))
        };
        let mut out = Provided::default();
        for (library, of_line) in line.iter().map(|library| (library, true)).chain(needed.iter().map(|library| (library, false))) {
            let module = Module::of(library);
            if of_line
                && !loaded.is_empty()
                && !is_loaded(library)
                && imports.iter().any(|import| module.exporting(import).next().is_some())
            {
                out.left_out.push(library.path.clone());
            }
            if !module.images.is_empty() {
                out.modules.push(module);
            }
        }
        Ok(out)
    }

    /// Who exports the function to images of that target.
    pub fn provider(&self, symbol: &str, target: &Target) -> Provider {
        let form = form(target);
        let takes = |module: &Module| module.exporting(symbol).any(|image| form.as_ref().is_none_or(|form| form.takes(image)));
        if self.modules.iter().any(takes) {
            return Provider::Found;
        }
        let other = self.modules.iter().find(|module| module.exporting(symbol).next().is_some());
        other.map_or(Provider::Nobody, |module| {
            let mut targets: Vec<String> = module.exporting(symbol).map(|image| image.target().to_owned()).collect();
            targets.dedup();
            Provider::Elsewhere { library: module.name.clone(), targets }
        })
    }

    /// What the functions that an image imports need of a device that runs images of that target.
    pub fn needs(&self, plan: &ImagePlan, target: &Target) -> Imported {
        match form(target).filter(|_| !plan.imports.is_empty() && !self.modules.is_empty()) {
            Some(form) => imported(&self.modules, None, &form, &plan.imports, &plan.import_guards),
            None => Imported::default(),
        }
    }
}

fn is_shared(found: &Found) -> bool {
    const ET_DYN: [u8; 2] = [3, 0];
    found.bytes.get(16..18) == Some(&ET_DYN)
}
