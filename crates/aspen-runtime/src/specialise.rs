//! SPIR-V as a device gets it: every condition of the module decided by what the device has.
//!
//! Always done, also for drivers that know conditional functions: the capabilities of what is discarded would still be declared there.
//! Source: S1 "Modifications to the DPC++ runtime"; DESIGN §7.20, §7.23; issue 7.

use std::borrow::Cow;

use aspen_contract::{AspectSet, Need, Requirements};
use aspen_image::DeviceImage;
use aspen_spirv::SpecId;

use crate::error::{Code, Error, Result};
use crate::system::Device;

/// The image's module with only what the device can have.
pub(crate) fn for_device<'i>(device: &Device, label: &str, image: &'i DeviceImage<'_>) -> Result<Cow<'i, [u8]>> {
    let damaged = |why: &dyn std::fmt::Display| Error::new(Code::Build, format!("{label} cannot be made for this device: {why}"));
    let conditions = image.conditions().map_err(|error| damaged(&error))?;
    let value = |id: SpecId| match id {
        SpecId::Requirement(_) => conditions.get(&id.number()).map(|need| meets(device, need)),
        SpecId::Guard(aspect) => Some(meets(device, &Need::Aspect(aspect))),
        SpecId::User(_) => None,
    };
    let begin = std::time::Instant::now();
    let special = aspen_spirv::specialise(image.bytes(), &value).map_err(|error| damaged(&error))?;
    if let Cow::Owned(bytes) = &special {
        let us = begin.elapsed().as_micros();
        tracing::debug!(image = label, device = device.selector_name(), us, from = image.bytes().len(), to = bytes.len(), "specialised");
    }
    Ok(special)
}

/// The aspects that code which asks the device finds, whatever the kind of its image.
pub(crate) fn has(device: &Device) -> AspectSet {
    device.capabilities().offered().filter(|aspect| meets(device, &Need::Aspect(*aspect))).collect()
}

/// Whether kernels that need this run here, as the check says.
fn meets(device: &Device, need: &Need) -> bool {
    let mut alone = Requirements::default();
    match need {
        Need::Aspect(aspect) => _ = alone.aspects.insert(*aspect),
        Need::SubGroupSize(size) => alone.reqd_sub_group_size = Some(*size),
        Need::WorkGroupSize(size) => alone.reqd_work_group_size = Some(size.clone()),
    }
    device.unmet(&alone).is_empty()
}
