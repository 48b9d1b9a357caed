//! Where the properties of an image's sets stand: a program asks for its kernels one after the other, and looking through all of a set for
//! each would take time by the square of their number.

use std::fmt;
use std::sync::OnceLock;

use aspen_contract::Requirements;

use crate::image::{DeviceImage, ImageError, KERNELS, KernelInfo, read_payload};
use crate::offload::Entry;
use crate::property::{PropertySet, Value, set_from_text};

/// Where lines of properties begin, by the properties' names; equal names in the order of the text. `None`: the string is no text.
type Lines = Option<Vec<usize>>;

/// What was found out about an entry: the lines of each string that was asked for a property, and what the image as a whole needs.
#[derive(Clone)]
pub(crate) struct Lookup {
    strings: Vec<OnceLock<Lines>>,
    requirements: OnceLock<Result<Requirements, ImageError>>,
}

/// It says nothing that the entry does not say.
impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lookup")
    }
}

impl Lookup {
    pub(crate) fn new(entry: &Entry<'_>) -> Lookup {
        Lookup { strings: entry.strings.iter().map(|_| OnceLock::new()).collect(), requirements: OnceLock::new() }
    }

    /// What `read` says, which is asked once.
    pub(crate) fn requirements(&self, read: impl FnOnce() -> Result<Requirements, ImageError>) -> Result<Requirements, ImageError> {
        self.requirements.get_or_init(read).clone()
    }
}

/// The property's name, if the line has one.
fn name_of(line: &[u8]) -> Option<&[u8]> {
    line.iter().position(|byte| *byte == b'=').map(|end| &line[..end])
}

/// The line that begins there, without its end.
fn line_at(text: &[u8], begin: usize) -> &[u8] {
    let rest = &text[begin..];
    let line = rest.iter().position(|byte| *byte == b'\n').map_or(rest, |end| &rest[..end]);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn lines_of(text: &[u8]) -> Lines {
    std::str::from_utf8(text).ok()?;
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let begins = std::iter::once(0).chain(ends).filter(|begin| name_of(line_at(text, *begin)).is_some());
    let mut lines: Vec<usize> = begins.collect();
    // Stable: of a property that stands there twice, the first counts.
    lines.sort_by_key(|begin| name_of(line_at(text, *begin)));
    Some(lines)
}

impl DeviceImage<'_> {
    /// One property; the values of the others of its set are not looked at.
    pub(crate) fn property(&self, set: &str, name: &str) -> Result<Option<Value>, ImageError> {
        let strings = &self.entry().strings;
        let Some(index) = strings.iter().position(|(key, _)| key == set) else { return Ok(None) };
        let text: &[u8] = &strings[index].1;
        let lines = self.lookup().strings[index].get_or_init(|| lines_of(text));
        let lines = lines.as_ref().ok_or_else(|| ImageError::NoText { set: set.to_owned() })?;
        let first = lines.partition_point(|begin| name_of(line_at(text, *begin)) < Some(name.as_bytes()));
        let Some(begin) = lines.get(first) else { return Ok(None) };
        let line = line_at(text, *begin);
        if name_of(line) != Some(name.as_bytes()) {
            return Ok(None);
        }
        let line = std::str::from_utf8(line).map_err(|_| ImageError::NoText { set: set.to_owned() })?;
        let mut read: PropertySet = set_from_text(line).map_err(|mut error| {
            error.line += text[..*begin].iter().filter(|byte| **byte == b'\n').count();
            ImageError::Text { set: set.to_owned(), error }
        })?;
        Ok(read.swap_remove(name))
    }

    /// What the link knows of one kernel: nothing in images that are not ours. What is damaged of other kernels is not looked at.
    ///
    /// # Errors
    /// If the kernel's property is damaged.
    pub fn kernel(&self, symbol: &str) -> Result<Option<KernelInfo>, ImageError> {
        let value = self.property(KERNELS, symbol)?;
        value.map(|value| read_payload(KERNELS, symbol, &value)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImageKind;
    use crate::property::set_to_text;

    const SET: &str = "Test/set";

    fn with(text: impl Into<Vec<u8>>) -> DeviceImage<'static> {
        let mut entry = Entry::new(ImageKind::Object, Vec::new());
        entry.set_string("Test/other", b"a=1|99\n".to_vec());
        entry.set_string(SET, text.into());
        DeviceImage::new(entry)
    }

    /// The plain way: the first line that begins with the name.
    fn by_hand(text: &str, name: &str) -> Option<Value> {
        let line = text.lines().find(|line| line.split_once('=').is_some_and(|(own, _)| own == name))?;
        set_from_text(line).ok()?.swap_remove(name)
    }

    #[test]
    fn every_property_is_found_and_no_other() {
        // Names that begin with each other, in no order.
        let names: Vec<String> =
            (0..200_u32).map(|i| format!("_ZTS{}", "K".repeat(((i * 37) % 23) as usize) + &(i * 71 % 200).to_string())).collect();
        let set: PropertySet = names.iter().zip(0..).map(|(name, i)| (name.clone(), Value::U32(i))).collect();
        let text = set_to_text(&set).expect("names that can be written");
        for text in [text.clone(), text.replace('\n', "\r\n"), text.trim_end().to_owned(), format!("\n\nno property\n{text}\n")] {
            let image = with(text.clone());
            for name in &names {
                let found = image.property(SET, name).expect("sound");
                assert!(found.is_some(), "{name}");
                assert_eq!(found, by_hand(&text, name));
            }
            for absent in ["", "_", "_ZTS", "_ZTSK", "a", "no property", "~"] {
                assert_eq!(image.property(SET, absent), Ok(by_hand(&text, absent)), "{absent}");
            }
            assert_eq!((image.property("Test/other", "a"), image.property("Test/none", "a")), (Ok(Some(Value::U32(99))), Ok(None)));
        }
        assert_eq!(with("").property(SET, "a"), Ok(None));
    }

    #[test]
    fn what_is_damaged_of_one_is_no_matter_of_another() {
        let image = with("b=1|2\nz=7|8\na=1|1\na=1|3\nd=1\n");
        assert_eq!(image.property(SET, "a"), Ok(Some(Value::U32(1))), "the first counts");
        assert_eq!(image.property(SET, "b"), Ok(Some(Value::U32(2))));
        let said = |name| image.property(SET, name).expect_err("damaged").to_string();
        assert!(said("z").contains("line 2: "), "{}", said("z"));
        assert!(said("d").contains("line 5: "), "{}", said("d"));
        assert_eq!(with(b"a=1|1\n\xff".to_vec()).property(SET, "a"), Err(ImageError::NoText { set: SET.to_owned() }));
    }
}
