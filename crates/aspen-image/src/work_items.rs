//! "Aspen/work-items": how kernels of ND-ranges run in images for the embedded CPU: a work-group at once, or one work-item at a time, and
//! why.
//!
//! A property a kernel; those that are launched over ranges have none. The run time takes the limit of a kernel's work-groups from it, and
//! `aspen inspect` shows it. Source: ARCHITECTURE "Images"; docs/decisions/0035.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::image::{DeviceImage, ImageError, read_payload};
use crate::payload;
use crate::property::{PropertySet, Value};

/// The set's name.
pub const WORK_ITEMS: &str = "Aspen/work-items";

/// How the work-items of a kernel run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum WorkItems {
    /// A function of the image runs a whole group.
    Together,
    /// There is none: each work-item is a call.
    OneByOne {
        /// Whether they may wait for each other: then each of a group has a stack of its own.
        waits: bool,
        /// Why there is none, with the place if that is known.
        why: String,
    },
}

/// The set of these kernels, by symbol.
pub fn work_items_set<'k>(kernels: impl IntoIterator<Item = (&'k str, WorkItems)>) -> PropertySet {
    kernels.into_iter().map(|(symbol, how)| (symbol.to_owned(), Value::Bytes(payload::write(&how)))).collect()
}

impl DeviceImage<'_> {
    /// How the image's kernels of ND-ranges run, by symbol; nothing if the image does not tell.
    ///
    /// # Errors
    /// If the set is damaged.
    pub fn work_items(&self) -> Result<BTreeMap<String, WorkItems>, ImageError> {
        let set = self.property_set(WORK_ITEMS)?.unwrap_or_default();
        set.iter().map(|(symbol, value)| Ok((symbol.clone(), read_payload(WORK_ITEMS, symbol, value)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImageBuilder, ImageKind, offload};

    #[test]
    fn the_set_is_read_back() {
        let alone = WorkItems::OneByOne { waits: true, why: "it calls itself".into() };
        let image = |set| {
            let builder = ImageBuilder::new(ImageKind::Object, "x86_64", "native_cpu", "a_0").set(WORK_ITEMS, set);
            builder.to_bytes(b"code").expect("names")
        };
        let bytes = image(work_items_set([("a", alone.clone()), ("b", WorkItems::Together)]));
        let read = DeviceImage::new(offload::parse_all(&bytes).expect("sound").remove(0));
        assert_eq!(read.work_items(), Ok([("a".to_owned(), alone), ("b".to_owned(), WorkItems::Together)].into()));
        let damaged = image([("a".to_owned(), Value::Bytes(vec![7]))].into_iter().collect());
        let read = DeviceImage::new(offload::parse_all(&damaged).expect("sound").remove(0));
        assert!(read.work_items().expect_err("damaged").to_string().contains("'a'"));
    }
}
