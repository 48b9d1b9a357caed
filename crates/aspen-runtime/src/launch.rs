//! A kernel launch from the outside in: find and check the kernel, check the geometry, prepare the job, submit.

use std::sync::Arc;

use aspen_contract::WorkGroupSize;

use crate::backend::{Closure, GroupLimit, Launch, LaunchKind};
use crate::error::{Code, Error, Result};
use crate::queue::{Prepared, Queue};
use crate::registry::{Admitted, KernelKey, Registry};
use crate::trace::{self, Label};

/// A launch as the host asks for it. Arrays are in SYCL order and left-aligned, as in `aspen_launch_t`.
#[derive(Debug)]
pub struct Request<'a> {
    /// Which kernel.
    pub kernel: KernelKey<'a>,
    /// How it is invoked.
    pub kind: LaunchKind,
    /// 1 to 3.
    pub dimensions: usize,
    /// Work-items; for [`LaunchKind::WorkGroups`] groups.
    pub global: [u64; 3],
    /// The work-group of an nd_range; of [`LaunchKind::WorkGroups`] the logical group, or 0.
    pub local: [u64; 3],
    /// Added to the ids.
    pub offset: [u64; 3],
    /// Bytes of local memory.
    pub local_memory: u64,
    /// The functor.
    pub closure: Closure,
}

impl Queue {
    /// Checks a kernel, and prepares its launch. Whatever is refused here has changed nothing.
    ///
    /// # Safety
    /// The closure is one of the kernel named by the request, and what it points to is valid until the kernel is complete.
    ///
    /// # Errors
    /// [`Code::KernelNotSupported`], [`Code::NdRange`], [`Code::Build`], [`Code::Invalid`], [`Code::MemoryAllocation`].
    pub unsafe fn kernel(&self, registry: &Registry, request: Request<'_>) -> Result<Prepared> {
        let admitted = registry.admit(self.device(), request.kernel)?;
        let launch = self.checked(&admitted, request)?;
        tracing::trace!(kernel = &*launch.name, kind = ?launch.kind, global = ?launch.global, local = ?launch.local, "prepared");
        let label = trace::on().map(|_| Label::Kernel {
            name: admitted.name.clone(),
            kind: launch.kind,
            global: launch.global,
            local: launch.local,
        });
        Ok(self.on_device(admitted.kernel.prepare(launch, self.pool().threads())?.into(), label))
    }

    fn checked(&self, admitted: &Arc<Admitted>, request: Request<'_>) -> Result<Launch> {
        let geometry = Geometry { name: &admitted.name, request: &request };
        let required = admitted.requirements.reqd_work_group_size.as_ref();
        geometry.check_shape()?;
        geometry.check_required(required)?;
        geometry.check_limits(self.device().capabilities().max_work_group_size, self.device().capabilities().max_work_item_sizes)?;
        // A size that the kernel declares was decided with the image: there is no other that could be tried.
        if required.is_none() {
            geometry.check_own_limit(admitted.kernel.group_limit())?;
        }
        let most = self.device().real().facts().local_mem_size;
        if request.local_memory > most {
            let text = format!(
                "kernel '{}' asks for {} bytes of local memory, '{}' has {most}",
                admitted.name,
                request.local_memory,
                self.device().real().facts().name
            );
            return Err(Error::new(Code::MemoryAllocation, text));
        }
        let dimensions = request.dimensions;
        let sub_group_size = admitted.requirements.reqd_sub_group_size.or_else(|| self.device().suggested_sub_group_size());
        let local = match request.kind {
            LaunchKind::NdRange => right_aligned(request.local, dimensions, 1),
            LaunchKind::WorkGroups if !request.local[..dimensions].contains(&0) => right_aligned(request.local, dimensions, 1),
            LaunchKind::SingleTask | LaunchKind::Range | LaunchKind::WorkGroups => required.map_or([0; 3], padded),
        };
        Ok(Launch {
            name: admitted.name.clone(),
            kind: request.kind,
            global: right_aligned(request.global, dimensions, 1),
            local,
            offset: right_aligned(request.offset, dimensions, 0),
            local_memory: request.local_memory,
            sub_group_size,
            closure: request.closure,
        })
    }
}

struct Geometry<'a> {
    name: &'a str,
    request: &'a Request<'a>,
}

impl Geometry<'_> {
    fn global(&self) -> &[u64] {
        &self.request.global[..self.request.dimensions]
    }

    fn local(&self) -> &[u64] {
        &self.request.local[..self.request.dimensions]
    }

    fn wrong(&self, why: &str) -> Error {
        Error::new(Code::NdRange, format!("kernel '{}' {why}", self.name))
    }

    /// What no device can run.
    fn check_shape(&self) -> Result<()> {
        let (global, offset) = (self.global(), &self.request.offset[..self.request.dimensions]);
        let groups = if self.request.kind == LaunchKind::WorkGroups { self.local() } else { &[] };
        let items = product(global.iter().chain(groups.iter().filter(|dim| **dim > 0)));
        if items.is_none() || global.iter().zip(offset).any(|(size, offset)| size.checked_add(*offset).is_none()) {
            return Err(self.wrong(&format!("was launched over {}, more work-items than can be counted", dims(global))));
        }
        if self.request.kind != LaunchKind::NdRange {
            return Ok(());
        }
        if self.local().contains(&0) {
            return Err(self.wrong(&format!("was launched with work-groups of {}; no dimension may be 0", dims(self.local()))));
        }
        if global.iter().zip(self.local()).any(|(global, local)| global % local != 0) {
            let text = format!("was launched over {} with work-groups of {}, which do not divide it", dims(global), dims(self.local()));
            return Err(self.wrong(&text));
        }
        Ok(())
    }

    /// `[[sycl::reqd_work_group_size]]`. A range is run in groups of that size, if they fill it. Source: SYCL 2020 §5.8.1.
    fn check_required(&self, required: Option<&WorkGroupSize>) -> Result<()> {
        let Some(required) = required else { return Ok(()) };
        let launched = match self.request.kind {
            LaunchKind::SingleTask if required.work_items() == 1 => return Ok(()),
            LaunchKind::SingleTask => {
                let how = "must be launched with an nd_range or over a range, since it has reqd_work_group_size";
                return Err(self.wrong(&format!("{how} {required}")));
            }
            LaunchKind::Range => {
                let (global, size) = (self.global(), required.dims());
                if global.len() == size.len() && global.iter().zip(size).all(|(global, size)| global % size == 0) {
                    return Ok(());
                }
                let text = format!(
                    "has reqd_work_group_size {required}, which does not divide the range {} that it was launched over",
                    dims(global)
                );
                return Err(self.wrong(&text));
            }
            LaunchKind::WorkGroups if self.local().contains(&0) => return Ok(()),
            LaunchKind::WorkGroups | LaunchKind::NdRange => self.local(),
        };
        if required.dims() == launched {
            return Ok(());
        }
        Err(self.wrong(&format!("has reqd_work_group_size {required} and was launched with work-groups of {}", dims(launched))))
    }

    fn check_limits(&self, most: Option<u64>, most_each: Option<[u64; 3]>) -> Result<()> {
        if matches!(self.request.kind, LaunchKind::SingleTask | LaunchKind::Range) {
            return Ok(());
        }
        let local = self.local();
        let (most, most_each) = (most.unwrap_or(u64::MAX), most_each.unwrap_or([u64::MAX; 3]));
        let fits_each = local.iter().rev().zip(most_each.iter().rev()).all(|(size, most)| size <= most);
        if product(local).is_some_and(|items| items <= most) && fits_each {
            return Ok(());
        }
        let [x, y, z] = most_each;
        let limits = format!("the device allows {most} work-items, at most {x}x{y}x{z}");
        Err(self.wrong(&format!("was launched with work-groups of {}; {limits}", dims(local))))
    }

    /// Of the kernel (`info::kernel_device_specific::work_group_size`).
    fn check_own_limit(&self, limit: Option<&GroupLimit>) -> Result<()> {
        let Some(limit) = limit.filter(|_| self.request.kind == LaunchKind::NdRange) else { return Ok(()) };
        if product(self.local()).is_some_and(|items| items <= limit.items) {
            return Ok(());
        }
        let GroupLimit { items, why } = limit;
        Err(self
            .wrong(&format!("was launched with work-groups of {}; it takes {items} work-items at most, since {why}", dims(self.local()))))
    }
}

fn product<'a>(dims: impl IntoIterator<Item = &'a u64>) -> Option<u64> {
    dims.into_iter().try_fold(1_u64, |product, dim| product.checked_mul(*dim))
}

fn dims(dims: &[u64]) -> String {
    dims.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

fn right_aligned(values: [u64; 3], dimensions: usize, fill: u64) -> [u64; 3] {
    let mut out = [fill; 3];
    out[3 - dimensions..].copy_from_slice(&values[..dimensions]);
    out
}

fn padded(size: &WorkGroupSize) -> [u64; 3] {
    let mut out = [1; 3];
    out[3 - size.dims().len()..].copy_from_slice(size.dims());
    out
}
