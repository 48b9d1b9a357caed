//! From a kernel's symbol to the image that runs, or to the reasons why none does.
//!
//! The order of candidates: the launching module's images before all others, the symbol with the object's tag before the plain one, code
//! made ahead of time before code that is compiled when it is loaded, then the order of the container. The first whose requirements, and
//! those of the images it imports from, the device meets is taken. If the launching module has one for the device, or has left it out, others do not count. If none is, one error lists for every candidate what is missing.
//! Nothing of an image but its strings is read here. Source: S0; issue 6 "Image choice".

use std::cmp::Reverse;

use aspen_contract::{Requirements, refusal};

use super::closure::Closure;
use super::module::{Candidate, Image, ImageId, Module, tagged};
use super::{Inner, KernelKey};
use crate::backend::Fit;
use crate::error::{Code, Error, Result};
use crate::names::kernel_name;
use crate::save;
use crate::system::Device;

/// Candidates that passed the check, best first; never empty.
pub(super) struct Choice<'r> {
    pub(super) taken: Vec<Taken<'r>>,
}

/// A candidate that passed the check.
pub(super) struct Taken<'r> {
    pub(super) candidate: Candidate<'r>,
    pub(super) closure: Closure<'r>,
    pub(super) name: String,
    pub(super) requirements: Requirements,
}

/// There is no such kernel, or it may not run here.
pub(super) enum Denied {
    /// No image holds it; not remembered, since anybody can ask for anything.
    Unknown(Error),
    /// The check's verdict.
    Refused(Error),
}

impl Inner {
    /// The image of that number, if its module is still there.
    pub(super) fn image(&self, (number, index): ImageId) -> Option<&Image> {
        let module = self.modules.iter().find(|module| module.number == number)?;
        module.parsed_already()?.images.get(index)
    }

    /// Images with the kernel: those of the launching module before others, the tagged symbol before the plain one.
    fn candidates(&self, key: KernelKey<'_>) -> Result<Vec<Candidate<'_>>> {
        let tagged = (!key.tag.is_empty()).then(|| tagged(key.symbol, key.tag));
        let symbols: Vec<&str> = tagged.as_deref().into_iter().chain([key.symbol]).collect();
        let (own, others): (Vec<&Module>, Vec<&Module>) = self.modules.iter().partition(|module| module.record.anchor == key.module);
        let mut candidates = Vec::new();
        let mut damaged = None;
        for module in own.into_iter().chain(others) {
            let parsed = module.parsed();
            module.find(parsed, &symbols, &mut candidates);
            damaged = damaged.or(parsed.damage.as_ref());
        }
        match damaged {
            // The kernel may well be in the part that cannot be read.
            Some(error) if candidates.is_empty() => Err(error.clone()),
            _ => Ok(candidates),
        }
    }

    /// The check. `tell`: whether it is told what became of the candidates (`ASPEN_SAVE_DIR`, `ASPEN_LOG`).
    pub(super) fn choose(&self, device: &'static Device, key: KernelKey<'_>, tell: bool) -> std::result::Result<Choice<'_>, Denied> {
        let candidates = self.candidates(key).map_err(Denied::Unknown)?;
        if candidates.is_empty() {
            return Err(self.no_such_kernel(device, key));
        }
        let own = |candidate: &Candidate<'_>| {
            self.modules.iter().any(|module| module.number == candidate.id.0 && module.record.anchor == key.module)
        };
        // Of that name another module may have another kernel, which is not what was to run if this one is refused.
        let is_meant = |Candidate { image, .. }: &Candidate<'_>| image.image.is_left_out() || device.real().fit(&image.image).is_some();
        let only_own = candidates.iter().any(|candidate| own(candidate) && is_meant(candidate));
        let candidates = candidates.into_iter().filter(|candidate| !only_own || own(candidate));
        let mut fitting: Vec<(Fit, Candidate<'_>)> = Vec::new();
        let mut foreign = Vec::new();
        for candidate in candidates {
            let image = &candidate.image.image;
            match device.real().fit(image).filter(|_| !image.is_left_out()) {
                Some(fit) => fitting.push((fit, candidate)),
                None => foreign.push(candidate),
            }
        }
        if fitting.is_empty() {
            return Err(Denied::Refused(no_image_for(device, key, &foreign)));
        }
        // Stable, so the order of the container decides the rest.
        fitting.sort_by_key(|(fit, candidate)| (!own(candidate), candidate.symbol == key.symbol, Reverse(*fit)));
        let (mut taken, mut refused) = (Vec::new(), Vec::new());
        for (_, candidate) in fitting {
            let label = candidate.image.label.as_str();
            let image = &candidate.image.image;
            match self.check(device, candidate) {
                Ok(passed) => {
                    let verdict = if taken.is_empty() { "taken" } else { "could run, but another one is taken" };
                    if tell {
                        save::considered(device, label, image, verdict);
                    }
                    taken.push(passed);
                }
                Err(error) => {
                    if tell {
                        save::considered(device, label, image, error.message());
                    }
                    refused.push((label, error));
                }
            }
        }
        if taken.is_empty() { Err(Denied::Refused(all_of(&refused))) } else { Ok(Choice { taken }) }
    }

    fn check<'r>(&'r self, device: &'static Device, candidate: Candidate<'r>) -> Result<Taken<'r>> {
        let closure = self.closure(device, &candidate)?;
        let name = candidate.name();
        let known = name.clone().unwrap_or_else(|_| kernel_name(&candidate.symbol));
        let needs = closure.needs(device, &known)?;
        let name = name?;
        if !needs.unmet.is_empty() {
            let (refuser, capabilities) = device.refuser(&needs.unmet);
            let text = refusal(&name, refuser, &needs.unmet, &needs.sources, capabilities);
            return Err(Error::new(Code::KernelNotSupported, text));
        }
        if !needs.left_out.is_empty() {
            let head = format!("kernel '{name}' cannot run on '{}':", device.real().facts().name);
            let lines = needs.left_out.iter().map(|why| format!("\n  {why}"));
            let way_out = "\n  (correct the entry by -fsycl-device-config-file, or compile for spir64 too)".to_owned();
            let text = std::iter::once(head).chain(lines).chain([way_out]).collect::<String>();
            return Err(Error::new(Code::KernelNotSupported, text));
        }
        closure.complete(device, &name)?;
        closure.keeps_variables(device, &name)?;
        Ok(Taken { candidate, closure, name, requirements: needs.requirements })
    }

    /// No image holds the kernel: the message says which there are. Where the module that launches it has images, the kernel was compiled
    /// (the link made sure) and left out ahead of time, so that it is the device that does not support it.
    fn no_such_kernel(&self, device: &Device, key: KernelKey<'_>) -> Denied {
        let mut images = Vec::new();
        let mut own_images = false;
        for module in &self.modules {
            let module_images = &module.parsed().images;
            own_images |= module.record.anchor == key.module && !module_images.is_empty();
            images.extend(module_images.iter().filter(|image| !image.image.is_left_out()).map(|image| image.label.as_str()));
        }
        let list = match images.len() {
            0 => "there are no images at all".to_owned(),
            count if count > 8 => format!("the {count} images are {}, …", images[..8].join(", ")),
            _ => format!("the images are {}", images.join(", ")),
        };
        let refused = self.refused.iter().find(|(_, anchor, _)| *anchor == key.module);
        if own_images && refused.is_none() {
            let (name, device) = (kernel_name(key.symbol), &device.real().facts().name);
            let text = format!(
                "kernel '{name}' cannot run on '{device}':\n  the program has no image of it: none of the targets it was linked for \
                 (-fsycl-targets) can run it; {list}"
            );
            return Denied::Refused(Error::new(Code::KernelNotSupported, text));
        }
        let why = match refused {
            Some((_, _, why)) => format!(" ({why})"),
            None => " (the module that launches it has registered no images; link it with aspen++)".to_owned(),
        };
        Denied::Unknown(Error::new(Code::Invalid, format!("no device image holds the kernel '{}'{why}; {list}", kernel_name(key.symbol))))
    }
}

/// One error for all candidates. Those that say the same need no names: mostly they are one kernel for several targets.
fn all_of(refused: &[(&str, Error)]) -> Error {
    let Some((_, first)) = refused.first() else { return Error::new(Code::KernelNotSupported, "no image of the kernel may run") };
    if refused.iter().all(|(_, error)| error == first) {
        return first.clone();
    }
    let lacking = refused.iter().find(|(_, error)| error.code() == Code::KernelNotSupported);
    // A device that lacks something is the plainer reason; what else is wrong stands in the list.
    let code = lacking.map_or(first.code(), |(_, error)| error.code());
    let (head, _) = split_head(lacking.map_or(first, |(_, error)| error).message());
    let mut text = head.to_owned();
    for (label, error) in refused {
        text += &format!("\n  {label}:");
        let (own_head, reasons) = split_head(error.message());
        let reasons = if own_head == head && !reasons.is_empty() { reasons } else { error.message() };
        for line in reasons.lines() {
            text += &format!("\n    {}", line.trim_start());
        }
    }
    Error::new(code, text)
}

/// `kernel 'K' cannot run on 'D':` and the lines below it.
fn split_head(message: &str) -> (&str, &str) {
    message.split_once('\n').unwrap_or((message, ""))
}

/// The program has the kernel, but only for other devices.
fn no_image_for(device: &Device, key: KernelKey<'_>, foreign: &[Candidate<'_>]) -> Error {
    let images = || foreign.iter().map(|candidate| &candidate.image.image);
    let mut targets: Vec<&str> = images().filter(|image| !image.is_left_out()).map(|image| image.target()).collect();
    targets.sort_unstable();
    targets.dedup();
    let name = foreign.first().and_then(|candidate| candidate.name().ok()).unwrap_or_else(|| kernel_name(key.symbol));
    let facts = device.real().facts();
    let why = if targets.is_empty() {
        "the program has no image of it: none of the targets it was linked for (-fsycl-targets) can run it".to_owned()
    } else if facts.runs_nothing.is_empty() {
        format!(
            "the program has no image of it for {}, only for {} (-fsycl-targets)",
            device.platform().backend().name(),
            targets.join(", ")
        )
    } else {
        facts.runs_nothing.clone()
    };
    // Another target's image says what the kernel needs, too.
    let refused = foreign.first().and_then(|candidate| unmet_by(device, candidate, &name));
    let head = refused.unwrap_or_else(|| format!("kernel '{name}' cannot run on '{}':", facts.name));
    Error::new(Code::KernelNotSupported, format!("{head}\n  {why}"))
}

/// The refusal for what the kernel itself needs and the device lacks, if that is anything.
fn unmet_by(device: &Device, candidate: &Candidate<'_>, name: &str) -> Option<String> {
    let image = &candidate.image.image;
    // What is damaged there is of no concern: it is not this image that would run.
    let requirements = image.requirements_of(&candidate.symbol).ok()?;
    let unmet = device.unmet(&requirements);
    let sources = image.sources(&candidate.symbol).unwrap_or_default();
    let (refuser, capabilities) = device.refuser(&unmet);
    let refuse = || refusal(name, refuser, &unmet, &sources, capabilities);
    (!unmet.is_empty()).then(refuse)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(code: Code, message: &str) -> Error {
        Error::new(code, message)
    }

    #[test]
    fn one_error_for_all_candidates() {
        let lacks = |what: &str| refused(Code::KernelNotSupported, &format!("kernel 'K' cannot run on 'D':\n  needs aspect {what}"));
        assert_eq!(all_of(&[("a", lacks("fp64")), ("b", lacks("fp64"))]), lacks("fp64"));
        let both = all_of(&[("image 'a'", lacks("fp16")), ("image 'b'", lacks("fp64"))]);
        assert_eq!(both.code(), Code::KernelNotSupported);
        assert_eq!(
            both.message(),
            "kernel 'K' cannot run on 'D':\n  image 'a':\n    needs aspect fp16\n  image 'b':\n    needs aspect fp64"
        );
        let mixed = all_of(&[("image 'a'", refused(Code::Build, "image 'a': damaged")), ("image 'b'", lacks("fp64"))]);
        assert_eq!(mixed.code(), Code::KernelNotSupported);
        assert_eq!(
            mixed.message(),
            "kernel 'K' cannot run on 'D':\n  image 'a':\n    image 'a': damaged\n  image 'b':\n    needs aspect fp64"
        );
    }
}
