//! Device globals of images: the kernel by which the runtime reaches them, what the container says, and the rule that a value in an image is
//! that image's alone. Source: sycl_ext_oneapi_device_global; docs/decisions/0031.

use aspen_analysis::split::ImagePlan;
use aspen_analysis::summary::Role;
use aspen_image::ImageBuilder;
use aspen_image::device_globals::{DEVICE_GLOBALS, DEVICE_GLOBALS_KERNEL, ImageGlobal, device_globals_kernel, device_globals_set};
use aspen_llvm::{EXCHANGES_DEVICE_GLOBALS, Module, device_globals};

use super::program::Program;
use crate::error::Error;

/// Those of one image.
#[derive(Clone, Debug, Default)]
pub struct ImageGlobals {
    globals: Vec<ImageGlobal>,
    kernel: Option<String>,
}

impl ImageGlobals {
    /// Finds them in an image's module and adds the kernel. Its name is the image's own: drivers link images that call each other into one.
    ///
    /// # Errors
    /// If a variable is defined in no object.
    pub fn of(module: &mut Module<'_>, image: &str) -> Result<ImageGlobals, aspen_llvm::Error> {
        let known = device_globals(module.view());
        let globals: Vec<_> = known.into_iter().map(|one| ImageGlobal { id: one.id, size: one.size, in_image: one.image_scope }).collect();
        let mut names = blake3::Hasher::new();
        for name in std::iter::once(image).chain(globals.iter().map(|global| global.id.as_str())) {
            names.update(name.as_bytes()).update(&[0]);
        }
        let kernel = format!("{EXCHANGES_DEVICE_GLOBALS}{}", &names.finalize().to_hex()[..16]);
        let kernel = module.exchange_device_globals(&kernel)?.then_some(kernel);
        Ok(ImageGlobals { globals, kernel })
    }

    /// The kernel's symbol.
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// Says it in the container.
    pub fn describe(&self, image: ImageBuilder) -> ImageBuilder {
        let kernel = self.kernel().map(device_globals_kernel).unwrap_or_default();
        image.set(DEVICE_GLOBALS, device_globals_set(self.globals.iter().cloned())).set(DEVICE_GLOBALS_KERNEL, kernel)
    }
}

/// No variable with `device_image_scope` may be in two images.
///
/// # Errors
/// If one is; with a kernel of each.
pub fn check(module: &Module<'_>, program: &Program, plans: &[(String, &ImagePlan)]) -> Result<(), Error> {
    let function = |entry| program.linked.summary.function(entry);
    let entries = |plan: &ImagePlan| plan.entries.iter().map(|&entry| function(entry).symbol.as_str()).collect::<Vec<_>>();
    let images: Vec<Vec<&str>> = plans.iter().map(|(_, plan)| entries(plan)).collect();
    let Some(shared) = module.shared_image_scope(&images).map_err(|error| Error::Device(error.to_string()))? else { return Ok(()) };
    let user = |image: usize| {
        let using = |symbol: &&str| module.reached(&[symbol], &[&shared.symbol]).is_ok_and(|held| !held.is_empty());
        let place = images[image].iter().position(using).unwrap_or_default();
        plans[image].1.entries.get(place).map(|&entry| match &function(entry).role {
            Role::Kernel(kernel) => format!("kernel '{}'", kernel.name),
            Role::Exported | Role::Plain => format!("function '{}'", function(entry).name),
        })
    };
    let [first, second] = shared.images.map(|image| user(image).unwrap_or_default());
    Err(Error::Device(format!(
        "device_global '{}' lies in its device image (device_image_scope), and two images would have one: {first} and {second} use it; have only \
         kernels that need the same use it, split less (-fsycl-device-code-split=off), or take the property away",
        shared.name
    )))
}
