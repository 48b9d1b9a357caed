//! Programs: what came of loading an image together with those it imports from, once for a device.
//!
//! A [`Plan`] says what is to be loaded and belongs to nobody, so that a device loads while the registry is free for others.

use std::sync::{Arc, Mutex};

use aspen_contract::AspectSet;
use aspen_image::{DeviceImage, ImageKind};

use super::Inner;
use super::closure::Closure;
use super::module::ImageId;
use crate::backend::{Part, Program};
use crate::command::lock;
use crate::error::{Code, Error, Result};
use crate::specialise;
use crate::system::Device;
use crate::trace;

/// The programs of an image, one a device that has asked for it.
#[derive(Default)]
pub(super) struct Programs {
    /// Held by the thread that loads one. Whoever holds it may take the registry's lock, but not the other way round.
    pub(super) loading: Mutex<()>,
    list: Mutex<Vec<Loaded>>,
}

/// What came of loading an image, with those it imports from, for a device. A failure is remembered as well.
pub(super) struct Loaded {
    device: &'static Device,
    parts: Vec<ImageId>,
    program: Result<Arc<dyn Program>>,
}

impl Programs {
    pub(super) fn find(&self, plan: &Plan) -> Option<Result<Arc<dyn Program>>> {
        let list = lock(&self.list);
        let known = list.iter().find(|known| std::ptr::eq(known.device, plan.device) && plan.ids().eq(known.parts.iter().copied()));
        known.map(|known| known.program.clone())
    }

    /// Gives back what it takes the place of: programs with other sets of libraries than today's, which are not needed again, as a rule.
    pub(super) fn keep(&self, plan: &Plan, program: Result<Arc<dyn Program>>) -> Vec<Loaded> {
        let mut list = lock(&self.list);
        let (replaced, mut kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut *list).into_iter().partition(|old| std::ptr::eq(old.device, plan.device));
        kept.push(Loaded { device: plan.device, parts: plan.ids().collect(), program });
        *list = kept;
        replaced
    }

    /// Gives back the programs that hold images of a module.
    pub(super) fn forget(&self, module: usize) -> Vec<Loaded> {
        let mut list = lock(&self.list);
        let of_module = |loaded: &Loaded| loaded.parts.iter().any(|(number, _)| *number == module);
        let (gone, kept) = std::mem::take(&mut *list).into_iter().partition(of_module);
        *list = kept;
        gone
    }
}

/// What to load for a device: the kernel's image first.
pub(super) struct Plan {
    device: &'static Device,
    parts: Vec<Planned>,
}

struct Planned {
    id: ImageId,
    label: String,
    imports: Vec<(String, usize)>,
}

impl Plan {
    pub(super) fn new(device: &'static Device, closure: Closure<'_>) -> Plan {
        let planned = |part: super::closure::Part<'_>| Planned { id: part.id, label: part.image.label.clone(), imports: part.imports };
        Plan { device, parts: closure.parts.into_iter().map(planned).collect() }
    }

    /// The kernel's image.
    pub(super) fn id(&self) -> ImageId {
        self.parts.first().map_or((0, 0), |part| part.id)
    }

    pub(super) fn device(&self) -> &'static Device {
        self.device
    }

    /// Its images, in their order.
    pub(super) fn labelled(&self) -> impl Iterator<Item = (ImageId, &str)> {
        self.parts.iter().map(|part| (part.id, part.label.as_str()))
    }

    pub(super) fn label(&self) -> &str {
        self.parts.first().map_or("", |part| &part.label)
    }

    fn ids(&self) -> impl Iterator<Item = ImageId> {
        self.parts.iter().map(|part| part.id)
    }

    /// Whether all of its modules are there.
    pub(super) fn is_whole(&self, inner: &Inner) -> bool {
        self.ids().all(|id| inner.image(id).is_some())
    }

    /// The images, which outlive their modules.
    ///
    /// # Errors
    /// If one of them went with its module.
    pub(super) fn copies(&self, inner: &Inner) -> Result<Vec<DeviceImage<'static>>> {
        let copy = |part: &Planned| {
            let gone =
                || Error::new(Code::Build, format!("{} was unloaded with its library while a kernel was launched from it", part.label));
            let image = inner.image(part.id).ok_or_else(gone)?;
            Ok(DeviceImage::new(image.image.entry().clone().into_owned()))
        };
        self.parts.iter().map(copy).collect()
    }

    /// Has the device load it.
    ///
    /// # Errors
    /// [`Code::Build`] if an image is damaged, and what the device says.
    pub(super) fn load(&self, copies: &[DeviceImage<'static>]) -> Result<Arc<dyn Program>> {
        let _slice = trace::slice("load", || self.label().to_owned());
        for (part, image) in self.parts.iter().zip(copies) {
            let damaged = |error| Error::new(Code::Build, format!("{} cannot be loaded: {error}; link the program again", part.label));
            image.check_bytes().map_err(damaged)?;
        }
        let images =
            self.parts.iter().zip(copies).map(|(part, image)| for_device(self.device, &part.label, image)).collect::<Result<Vec<_>>>()?;
        let has: AspectSet = specialise::has(self.device);
        let parts = self.parts.iter().zip(copies).zip(&images);
        let parts: Vec<Part<'_>> = parts
            .map(|((part, copy), special)| Part {
                name: &part.label,
                image: special.as_ref().unwrap_or(copy),
                has: &has,
                imports: &part.imports,
            })
            .collect();
        self.device.real().load(&parts)
    }
}

/// The image that the device gets, where it is another one: of SPIR-V what its conditions leave. Source: S1 "Modifications to the DPC++
/// runtime".
fn for_device(device: &Device, label: &str, image: &DeviceImage<'static>) -> Result<Option<DeviceImage<'static>>> {
    if image.kind() != ImageKind::SpirV {
        return Ok(None);
    }
    Ok(match specialise::for_device(device, label, image)? {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(bytes) => Some(image.with_bytes(bytes)),
    })
}
