//! What an image says of its device globals. Source: FORMATS §4.5 (`SYCL/device globals`); docs/decisions/0031.

use crate::image::{DeviceImage, ImageError};
use crate::property::{PropertySet, Value};

/// The variables: a property a variable, by the name that the host knows it by; its size, and whether its value lies in the image.
pub const DEVICE_GLOBALS: &str = "SYCL/device globals";
/// How addresses are exchanged with the image: the property `kernel`, a symbol.
pub const DEVICE_GLOBALS_KERNEL: &str = "Aspen/device globals";

/// The variable by which kernels in SPIR-V tell the runtime that an assertion failed: its value is a word of the runtime's, which no object
/// registers. The headers' `sycl::detail::failed_assertion`.
pub const FAILED_ASSERTION: &str = "_ZN4sycl6detail16failed_assertionE";

const KERNEL: &str = "kernel";

/// A variable of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ImageGlobal {
    /// The name that the host knows it by.
    pub id: String,
    /// Bytes of its value.
    pub size: u32,
    /// Whether the value lies in the image.
    pub in_image: bool,
}

/// The set of these variables.
pub fn device_globals_set(globals: impl IntoIterator<Item = ImageGlobal>) -> PropertySet {
    globals.into_iter().map(|global| (global.id, Value::from_u32s([global.size, u32::from(global.in_image)]))).collect()
}

/// The set that names the kernel.
pub fn device_globals_kernel(symbol: &str) -> PropertySet {
    PropertySet::from([(KERNEL.to_owned(), Value::Bytes(symbol.as_bytes().to_vec()))])
}

impl DeviceImage<'_> {
    /// The image's variables in the order of their names, which is that of the kernel's table.
    ///
    /// # Errors
    /// If the set is damaged.
    pub fn device_globals(&self) -> Result<Vec<ImageGlobal>, ImageError> {
        let set = self.property_set(DEVICE_GLOBALS)?.unwrap_or_default();
        let read = |(id, value): (&String, &Value)| {
            let Some(&[size, scope]) = value.as_u32s().as_deref().and_then(|words| <&[u32; 2]>::try_from(words).ok()) else {
                return Err(ImageError::DeviceGlobal { name: id.clone() });
            };
            Ok(ImageGlobal { id: id.clone(), size, in_image: scope != 0 })
        };
        let mut globals = set.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        globals.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        Ok(globals)
    }

    /// The kernel that exchanges addresses; images of other tools have none.
    ///
    /// # Errors
    /// If the set is damaged.
    pub fn device_globals_kernel(&self) -> Result<Option<String>, ImageError> {
        let value = self.property(DEVICE_GLOBALS_KERNEL, KERNEL)?;
        Ok(value.and_then(|value| if let Value::Bytes(bytes) = value { String::from_utf8(bytes).ok() } else { None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImageBuilder, ImageKind, offload};

    fn image(globals: PropertySet, kernel: PropertySet) -> Vec<u8> {
        let builder = ImageBuilder::new(ImageKind::Object, "x86_64", "native_cpu", "x_0");
        builder.set(DEVICE_GLOBALS, globals).set(DEVICE_GLOBALS_KERNEL, kernel).to_bytes(b"code").expect("writable")
    }

    fn read(bytes: &[u8]) -> (Result<Vec<ImageGlobal>, String>, Option<String>) {
        let entry = offload::parse_all(bytes).expect("sound").remove(0);
        let image = DeviceImage::new(entry);
        (image.device_globals().map_err(|error| error.to_string()), image.device_globals_kernel().expect("sound"))
    }

    #[test]
    fn what_is_written_is_read_by_name() {
        let global = |id: &str, size, in_image| ImageGlobal { id: id.into(), size, in_image };
        let written = [global("b", 8, true), global("a", u32::MAX, false)];
        let got = read(&image(device_globals_set(written.clone()), device_globals_kernel("k")));
        assert_eq!(got, (Ok(vec![written[1].clone(), written[0].clone()]), Some("k".into())));
        assert_eq!(read(&image(PropertySet::new(), PropertySet::new())), (Ok(Vec::new()), None));
    }

    #[test]
    fn a_variable_has_two_numbers() {
        for value in [Value::U32(4), Value::from_u32s([4]), Value::from_u32s([4, 0, 0]), Value::Bytes(vec![0; 7])] {
            let got = read(&image(PropertySet::from([("a".to_owned(), value.clone())]), PropertySet::new())).0;
            assert_eq!(got, Err("the device_global 'a' has no size and scope".into()), "{value:?}");
        }
    }
}
