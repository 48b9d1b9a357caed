//! What an object file says about its device code, before the link: the section `.aspen.device`.
//!
//! The section holds one OffloadBinary for each target, with bitcode as its image. Launches, kernels and summaries belong to the analysis;
//! here they are bytes. Source: ARCHITECTURE "Objects".

use std::borrow::Cow;

use indexmap::IndexMap;

use crate::DeviceImage;
use crate::image::{BuildError, ImageError, add_sets};
use crate::offload::{Entry, ImageKind};
use crate::property::{PropertySet, PropertySets, Value};

/// The section of objects. Not allocated, and excluded from links. Source: DESIGN §5.
pub const OBJECT_SECTION: &str = ".aspen.device";
/// Which object a blob belongs to.
pub const OBJECT: &str = "Aspen/object";
/// The analysis that belongs to this target.
pub const SUMMARY: &str = "Aspen/summary";
/// Every launch of the host pass.
pub const HOST_LAUNCHES: &str = "Aspen/host launches";
/// Every kernel entry of this device pass.
pub const DEVICE_KERNELS: &str = "Aspen/device kernels";

/// Which object a blob belongs to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ObjectHeader {
    /// The object's tag, 16 hexadecimal digits.
    pub tag: String,
    /// The source's name.
    pub unit: String,
    /// The optimisation level of code generation.
    pub opt: String,
    /// For which fixed targets the unit was checked when it was compiled, as the driver names them, comma separated.
    pub fixed: String,
    /// What pragmas say of warnings of the link, a line each, as the driver writes them.
    pub pragmas: String,
}

/// Device code of one object for one target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectBlob<'a> {
    /// The target's name.
    pub target: String,
    /// The target's triple.
    pub triple: String,
    /// The object it belongs to.
    pub header: ObjectHeader,
    /// What its device passes were told of the target, as macros, a line each.
    pub told: String,
    /// `Summary::to_bytes` of the analysis that belongs to this target.
    pub summary: Option<Vec<u8>>,
    /// Payloads by the symbol of the launched kernel.
    pub host_launches: IndexMap<String, Vec<u8>>,
    /// Payloads by the kernel's symbol.
    pub device_kernels: IndexMap<String, Vec<u8>>,
    /// LLVM bitcode.
    pub bitcode: Cow<'a, [u8]>,
}

impl<'a> ObjectBlob<'a> {
    /// The bytes of the OffloadBinary; `symbols` are those of the device kernels.
    ///
    /// # Errors
    /// If a symbol cannot be written as the name of a property.
    pub fn to_bytes(&self) -> Result<Vec<u8>, BuildError> {
        let mut entry = Entry::new(ImageKind::Bitcode, &*self.bitcode);
        let symbols: Vec<&str> = self.device_kernels.keys().map(String::as_str).collect();
        for (key, value) in [("triple", &self.triple), ("arch", &self.target), ("symbols", &symbols.join(","))] {
            entry.set_string(key, value.clone().into_bytes());
        }
        let text = |(name, value): (&str, &String)| (name.to_owned(), Value::Bytes(value.clone().into_bytes()));
        let ObjectHeader { tag, unit, opt, fixed, pragmas } = &self.header;
        let header = [("tag", tag), ("unit", unit), ("opt", opt), ("fixed", fixed), ("pragmas", pragmas), ("told", &self.told)]
            .into_iter()
            .map(text)
            .collect();
        let mut sets = PropertySets::new();
        sets.insert(OBJECT, header);
        if let Some(summary) = &self.summary {
            sets.insert(SUMMARY, [("module".to_owned(), Value::Bytes(summary.clone()))].into_iter().collect());
        }
        for (name, payloads) in [(HOST_LAUNCHES, &self.host_launches), (DEVICE_KERNELS, &self.device_kernels)] {
            if !payloads.is_empty() {
                sets.insert(name, payloads.iter().map(|(symbol, bytes)| (symbol.clone(), Value::Bytes(bytes.clone()))).collect());
            }
        }
        add_sets(&mut entry, &sets)?;
        Ok(entry.to_bytes()?)
    }

    /// Reads what [`ObjectBlob::to_bytes`] wrote.
    ///
    /// # Errors
    /// If a set or key is missing or damaged.
    pub fn from_entry(entry: Entry<'a>) -> Result<ObjectBlob<'a>, ImageError> {
        let image = DeviceImage::new(entry);
        let entry = image.entry();
        if entry.image_kind != ImageKind::Bitcode {
            return Err(ImageError::NotBitcode(image.format_name().into_owned()));
        }
        let string = |key| entry.text(key).map(str::to_owned).ok_or(ImageError::NoString(key));
        let object = image.property_set(OBJECT)?.ok_or(ImageError::NoString(OBJECT))?;
        let text = |name| header_text(&object, name);
        // Objects of before have none.
        let later = |name| if object.contains_key(name) { text(name) } else { Ok(String::new()) };
        let header =
            ObjectHeader { tag: text("tag")?, unit: text("unit")?, opt: text("opt")?, fixed: text("fixed")?, pragmas: later("pragmas")? };
        let summary = match image.property_set(SUMMARY)? {
            Some(mut set) => Some(payload_bytes(SUMMARY, "module".into(), set.swap_remove("module").unwrap_or(Value::U32(0)))?.1),
            None => None,
        };
        let payloads = |name| -> Result<IndexMap<String, Vec<u8>>, ImageError> {
            let set = image.property_set(name)?.unwrap_or_default();
            set.into_iter().map(|(symbol, value)| payload_bytes(name, symbol, value)).collect()
        };
        Ok(ObjectBlob {
            target: string("arch")?,
            triple: string("triple")?,
            header,
            told: later("told")?,
            summary,
            host_launches: payloads(HOST_LAUNCHES)?,
            device_kernels: payloads(DEVICE_KERNELS)?,
            bitcode: image.into_entry().image,
        })
    }
}

fn header_text(set: &PropertySet, name: &str) -> Result<String, ImageError> {
    let text = set.get(name).and_then(Value::as_bytes).and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.map(str::to_owned).ok_or_else(|| ImageError::NoBytes { set: OBJECT.to_owned(), name: name.to_owned() })
}

fn payload_bytes(set: &str, name: String, value: Value) -> Result<(String, Vec<u8>), ImageError> {
    match value {
        Value::Bytes(bytes) => Ok((name, bytes)),
        _ => Err(ImageError::NoBytes { set: set.to_owned(), name }),
    }
}

/// One compiled source: its blobs, one a target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectUnit<'a> {
    /// What all its blobs say.
    pub header: ObjectHeader,
    /// One a target, in the order of the section. Never empty.
    pub blobs: Vec<ObjectBlob<'a>>,
}

/// Groups the entries of a section into the objects they came from: `ld -r` puts several into one section. A new object begins where the
/// tag or the unit changes, or where a target comes again. Source: ARCHITECTURE "Objects".
///
/// # Errors
/// If an entry is damaged.
pub fn units<'a>(entries: impl IntoIterator<Item = Entry<'a>>) -> Result<Vec<ObjectUnit<'a>>, ImageError> {
    let mut units: Vec<ObjectUnit<'a>> = Vec::new();
    for entry in entries {
        let blob = ObjectBlob::from_entry(entry)?;
        match units.last_mut() {
            Some(unit) if unit.header == blob.header && unit.blobs.iter().all(|other| other.target != blob.target) => unit.blobs.push(blob),
            _ => units.push(ObjectUnit { header: blob.header.clone(), blobs: vec![blob] }),
        }
    }
    Ok(units)
}
