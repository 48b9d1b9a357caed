//! Objects that DPC++ compiled, and archives of them: device code that is not linked yet. What each kernel needs its own module tells; the
//! link may add to that, as with Aspen's objects.

use std::path::Path;
use std::rc::Rc;

use aspen_contract::Requirements;
use aspen_image::PropertySets;
use aspen_image::bundles::{self, Bundle};

use crate::code::Code;
use crate::program::{self, Image};
use crate::{Failure, bare};

/// The images of DPC++'s in an object or archive.
///
/// # Errors
/// If the file is damaged. Code that cannot be read is an image that says so: a newer compiler may have made it, and others beside it can
/// be read.
pub fn read(bytes: &Rc<Vec<u8>>, file: &str) -> Result<Vec<Image>, Failure> {
    let found = bundles::find(bytes, file).map_err(|error| Failure::Input(error.to_string()))?;
    Ok(found.iter().filter_map(|bundle| image(bundle, bytes, file)).collect())
}

/// Nothing for a module that has neither kernels nor functions for others.
fn image(bundle: &Bundle<'_>, bytes: &Rc<Vec<u8>>, file: &str) -> Option<Image> {
    let source = bundle.member.as_ref().map_or(file, |member| member.name.as_str());
    let name = Path::new(source).file_stem().map_or_else(|| source.to_owned(), |stem| stem.to_string_lossy().into_owned());
    let place = bundle.member.as_ref().map_or_else(|| file.to_owned(), |member| format!("{file}({})", member.name));
    let read = if bundle.bytes.starts_with(b"BC\xc0\xde") {
        program::module(&place, &bundle.bytes)
    } else if bundle.bytes.starts_with(&0x0723_0203u32.to_le_bytes()) {
        bare::spirv(Path::new(&place), &bundle.bytes).map(|image| Some(Image { code: Some(Code::of(bytes, &bundle.bytes)), ..image }))
    } else {
        Err(Failure::Input("it is neither bitcode nor SPIR-V".into()))
    };
    match read {
        Ok(Some(image)) => Some(Image { name, target: bundle.target(), ..image }),
        Ok(None) => None,
        Err(Failure::Input(why) | Failure::Diagnostic(why) | Failure::Machine(why) | Failure::Usage(why)) => Some(Image {
            name,
            target: bundle.target(),
            format: format!("unreadable at byte {} ({})", bundle.offset, why.lines().next().unwrap_or_default()),
            size: bundle.bytes.len(),
            requirements: Requirements::default(),
            kernels: Vec::new(),
            exports: Vec::new(),
            functions: Vec::new(),
            imports: Vec::new(),
            properties: PropertySets::default(),
            conditions: Vec::new(),
            summary: None,
            form: None,
            wrapped: None,
            code: None,
            strings: Vec::new(),
        }),
    }
}
