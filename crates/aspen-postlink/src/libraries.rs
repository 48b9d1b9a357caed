//! Images of DPC++'s bfloat16 libraries. A module that converts bfloat16 calls functions of a library, and runtimes link an image of it that
//! suits the device: one for devices that convert by themselves, one for others. Source: DPC++ 2026, `-device-lib-dir`; FORMATS §4.5.

use std::fs;

use aspen_image::image::{EXPORTED_SYMBOLS, symbols_set};
use aspen_image::{PropertySet, PropertySets, Value};
use aspen_llvm::{AspectNames, Context, Dialect, device_functions};

use crate::entry_points::is_bfloat16_conversion;
use crate::error::Error;
use crate::write::{Files, Job, Kept, code};

/// The files in the folder, and whether the device converts by itself.
const LIBRARIES: [(&str, u32); 2] = [("libsycl-fallback-bfloat16.bc", 0), ("libsycl-native-bfloat16.bc", 1)];

impl Job<'_> {
    /// Two more images, if they are wanted and called. Every target gets both: the runtime chooses.
    pub(crate) fn add_libraries(&self, context: &Context, kept: &mut Kept, files: &mut Files) -> Result<(), Error> {
        let Some(folder) = &self.arguments.device_libraries else { return Ok(()) };
        if !self.functions.iter().any(|function| !function.defined && is_bfloat16_conversion(&function.symbol)) {
            return Ok(());
        }
        for (name, native) in LIBRARIES {
            let path = folder.join(name);
            let bytes = fs::read(&path).map_err(|error| Error::file("read", &path, error))?;
            let module = context.parse(&path.display().to_string(), &bytes)?;
            let paths = self.paths(kept.len());
            files.write(&paths.code, &code(self.arguments, &module))?;
            if self.arguments.symbols {
                files.write(&paths.symbols, b"")?;
            }
            if self.arguments.writes_properties() {
                let functions = device_functions(module.view(), Dialect::Dpcpp, &AspectNames::default());
                let offered = functions.iter().filter(|function| function.defined && function.symbol.starts_with("__devicelib_"));
                let mut sets = PropertySets::new();
                sets.insert(EXPORTED_SYMBOLS, symbols_set(offered.map(|function| function.symbol.as_str())));
                sets.insert("SYCL/devicelib metadata", PropertySet::from([("bfloat16".to_owned(), Value::U32(native))]));
                self.properties(&paths.properties, &sets, files)?;
            }
            kept.push(vec![true; self.targets.len()]);
        }
        Ok(())
    }
}
