//! Property sets, OffloadBinary and the containers that carry device images.
//!
//! Everything here turns bytes into values and back; nothing opens a file. Bytes from outside are never trusted: every size and offset is
//! checked before it is used, nothing is allocated by a number that was only read, and every error says where and why.
//!
//! - [`property`]: property sets and their text form;
//! - [`offload`]: LLVM's OffloadBinary container;
//! - [`image`]: a device image: requirements, kernels, sources; and the builder that writes one;
//! - [`device_globals`]: variables of which every device has a value of its own;
//! - [`kernel_reqs`]: what each kernel of a conditional image needs;
//! - [`object_sections`]: what an object file says about its device code before the link;
//! - [`spirv`]: what a SPIR-V module says about itself;
//! - [`work_items`]: how kernels run on the embedded CPU;
//! - [`table`]: file tables; [`dpcpp`]: DPC++'s form of requirements;
//! - [`wrapped`]: images as DPC++ wraps them into programs; [`bundles`]: its device code in objects;
//! - [`container`]: finding all of that in executables, objects, archives and bare files.

#![forbid(unsafe_code)]

pub mod bundles;
pub mod container;
pub mod decided;
pub mod device_globals;
pub mod dpcpp;
pub mod guards;
pub mod image;
pub mod kernel_reqs;
mod lookup;
pub mod object_sections;
pub mod offload;
pub mod payload;
pub mod property;
pub mod sources;
pub mod spirv;
pub mod table;
pub mod work_items;
pub mod wrapped;

pub use container::{Container, ContainerError, Found, Kind, find};
pub use decided::{DECIDED, Decided};
pub use image::{BuildError, DeviceImage, ImageBuilder, ImageError, Kernel, KernelInfo, with_bytes};
pub use kernel_reqs::KERNEL_REQS;
pub use object_sections::{ObjectBlob, ObjectHeader, ObjectUnit};
pub use offload::{Entry, ImageKind, OFFLOAD_KIND_SYCL, OffloadError};
pub use property::{PropertySet, PropertySets, Value};
pub use table::FileTable;
pub use work_items::{WORK_ITEMS, WorkItems, work_items_set};
