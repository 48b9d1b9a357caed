//! Device images: what an entry of a container says about one, and the builder that writes such an entry.
//!
//! The authority for the check is `SYCL/device-requirements` or DPC++'s set (DESIGN §5). Everything of ours beside it only explains or speeds up.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use aspen_contract::{Aspect, Guard, Requirements, Source, Step, WorkGroupSize};
use serde::{Deserialize, Serialize};

use crate::dpcpp::{self, DEVICE_REQUIREMENTS_DPCPP, MISC_PROPERTIES};
use crate::guards::{self, GUARDS, Guards, IMPORT_GUARDS};
use crate::lookup::Lookup;
use crate::offload::{Entry, ImageKind, NulInString};
use crate::payload::{self, PayloadError};
use crate::property::{ParseError, PropertySet, PropertySets, UnwritableName, Value, check_set_name, set_from_text, set_to_text};
use crate::sources::{self, IMPORT_CHAINS, SourceTable, requirement_sources_set};

/// What every kernel of the image needs, in the seeds' dialect. Source: DESIGN §5.
pub const DEVICE_REQUIREMENTS: &str = "SYCL/device-requirements";
/// Device functions the image offers to others.
pub const EXPORTED_SYMBOLS: &str = "SYCL/exported symbols";
/// Device functions the image takes from others.
pub const IMPORTED_SYMBOLS: &str = "SYCL/imported symbols";
/// The kernels with their names and requirements.
pub const KERNELS: &str = "Aspen/kernels";
/// Why each requirement is there.
pub const REQUIREMENT_SOURCES: &str = "Aspen/requirement sources";

pub(crate) const DIGEST: &str = "digest";
const ASPECT: &str = "aspect";
const REQD_SUB_GROUP_SIZE: &str = "reqd_sub_group_size";
const REQD_WORK_GROUP_SIZE: &str = "reqd_work_group_size";

/// The sets that say what the image as a whole needs, guards apart.
const OF_THE_IMAGE: [&str; 3] = [DEVICE_REQUIREMENTS, DEVICE_REQUIREMENTS_DPCPP, MISC_PROPERTIES];

/// An image of a container, read lazily: opening it looks at nothing.
#[derive(Clone, Debug)]
pub struct DeviceImage<'a> {
    entry: Entry<'a>,
    lookup: Lookup,
}

impl PartialEq for DeviceImage<'_> {
    fn eq(&self, other: &DeviceImage<'_>) -> bool {
        self.entry == other.entry
    }
}

impl Eq for DeviceImage<'_> {}

/// What the link knows of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KernelInfo {
    /// The name for people.
    pub name: String,
    /// What this kernel needs.
    pub requirements: Requirements,
}

/// A kernel of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// The entry's symbol.
    pub symbol: String,
    /// What is known of it.
    pub info: KernelInfo,
}

impl<'a> DeviceImage<'a> {
    /// The image of that entry.
    pub fn new(entry: Entry<'a>) -> DeviceImage<'a> {
        let lookup = Lookup::new(&entry);
        DeviceImage { entry, lookup }
    }

    /// The entry with all its strings.
    pub fn entry(&self) -> &Entry<'a> {
        &self.entry
    }

    /// The entry, given back.
    pub fn into_entry(self) -> Entry<'a> {
        self.entry
    }

    /// `<stem>_<n>`; foreign images have none.
    pub fn name(&self) -> Option<&str> {
        self.entry.text("name")
    }

    /// Whether another compiler made it: every image of ours has a name.
    pub fn is_foreign(&self) -> bool {
        self.name().is_none()
    }

    /// The target's name, from the key `arch`; without one, the triple.
    pub fn target(&self) -> &str {
        self.entry.text("arch").filter(|arch| !arch.is_empty()).or_else(|| self.triple()).unwrap_or("unknown")
    }

    /// The target's triple.
    pub fn triple(&self) -> Option<&str> {
        self.entry.text("triple")
    }

    /// What the image is.
    pub fn kind(&self) -> ImageKind {
        self.entry.image_kind
    }

    /// Whether it stands for kernels that no target of the link could run: it says what they need, and there is no code.
    pub fn is_left_out(&self) -> bool {
        self.entry.image_kind == ImageKind::None && self.bytes().is_empty()
    }

    /// The image itself.
    pub fn bytes(&self) -> &[u8] {
        &self.entry.image
    }

    /// Whether the bytes are those that were linked: whoever loads machine code runs whatever it has become. Images that say nothing about
    /// their bytes, as foreign ones, are taken as they are.
    ///
    /// # Errors
    /// If they are others.
    pub fn check_bytes(&self) -> Result<(), ImageError> {
        match self.entry.text(DIGEST) {
            Some(said) if said != digest(self.bytes()) => Err(ImageError::Bytes),
            _ => Ok(()),
        }
    }

    /// The format as `aspen inspect` names it. Source: DESIGN §2.
    pub fn format_name(&self) -> Cow<'static, str> {
        match self.entry.image_kind {
            ImageKind::None => "none".into(),
            ImageKind::Object => "native".into(),
            ImageKind::Bitcode => "bitcode".into(),
            ImageKind::Cubin => "cubin".into(),
            ImageKind::Fatbinary => "fatbinary".into(),
            ImageKind::Ptx => "ptx".into(),
            ImageKind::SpirV => "spirv".into(),
            ImageKind::Other(number) => format!("kind {number}").into(),
        }
    }

    /// All property sets: the strings whose keys hold a slash, as every set's name does. Source: DESIGN §5.
    ///
    /// # Errors
    /// If one of them is damaged.
    pub fn property_sets(&self) -> Result<PropertySets, ImageError> {
        let keys = self.entry.strings.iter().map(|(key, _)| key.as_ref()).filter(|key| key.contains('/'));
        keys.map(|key| Ok((key.to_owned(), self.property_set(key)?.unwrap_or_default()))).collect()
    }

    /// One property set, if the image has it.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn property_set(&self, name: &str) -> Result<Option<PropertySet>, ImageError> {
        let Some(text) = self.set_text(name)? else { return Ok(None) };
        set_from_text(text).map(Some).map_err(|error| ImageError::Text { set: name.to_owned(), error })
    }

    pub(crate) fn lookup(&self) -> &Lookup {
        &self.lookup
    }

    fn set_text(&self, name: &str) -> Result<Option<&str>, ImageError> {
        let text = |bytes| std::str::from_utf8(bytes).map_err(|_| ImageError::NoText { set: name.to_owned() });
        self.entry.string(name).map(text).transpose()
    }

    /// What a device must have before anything of the image is read. An absent set needs nothing.
    ///
    /// # Errors
    /// If the set is damaged, or asks for something this build cannot check: such an image must not run.
    pub fn requirements(&self) -> Result<Requirements, ImageError> {
        self.lookup.requirements(|| dpcpp::requirements_of_sets(&self.some_sets(&[&OF_THE_IMAGE[..], &[GUARDS]].concat())?))
    }

    /// What the image as a whole needs, guards apart, in whichever dialect it says so.
    pub(crate) fn unguarded(&self) -> Result<Requirements, ImageError> {
        dpcpp::requirements_of_sets(&self.some_sets(&OF_THE_IMAGE)?)
    }

    fn some_sets(&self, names: &[&str]) -> Result<PropertySets, ImageError> {
        let mut out = PropertySets::new();
        for name in names {
            if let Some(set) = self.property_set(name)? {
                out.insert(*name, set);
            }
        }
        Ok(out)
    }

    /// The guards that each entry point reaches, with what it needs under them.
    ///
    /// # Errors
    /// If the set is damaged.
    pub fn guards(&self) -> Result<BTreeMap<String, Guards>, ImageError> {
        Ok(self.property_set(GUARDS)?.map(|set| guards::read(&set)).transpose()?.unwrap_or_default())
    }

    /// The kernels, in the order of the module. Images that are not ours have only symbols; their kernels need what the image needs.
    ///
    /// # Errors
    /// If a property is damaged.
    pub fn kernels(&self) -> Result<Vec<Kernel>, ImageError> {
        let Some(set) = self.property_set(KERNELS)? else {
            let requirements = self.requirements()?;
            let kernel = |symbol: &str| Kernel {
                symbol: symbol.to_owned(),
                info: KernelInfo { name: symbol.to_owned(), requirements: requirements.clone() },
            };
            return Ok(self.symbols().map(kernel).collect());
        };
        set.iter().map(|(symbol, value)| Ok(Kernel { symbol: symbol.clone(), info: read_payload(KERNELS, symbol, value)? })).collect()
    }

    /// The symbols that the container lists.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        self.entry.text("symbols").unwrap_or_default().split([',', '\0']).filter(|symbol| !symbol.is_empty())
    }

    /// Why the kernel, or the function that the image offers, needs what it needs; empty if the program was built without explanations.
    ///
    /// # Errors
    /// If the property is damaged.
    pub fn sources(&self, symbol: &str) -> Result<Vec<Source>, ImageError> {
        match self.property(REQUIREMENT_SOURCES, symbol)? {
            Some(value) => {
                let table: SourceTable = read_payload(REQUIREMENT_SOURCES, symbol, &value)?;
                table.unpack().ok_or_else(|| ImageError::SourceName { symbol: symbol.to_owned() })
            }
            None => Ok(Vec::new()),
        }
    }

    /// Under which guards, one of them, the image's entry points call what they import, by symbol; what is not among them they call
    /// wherever they run.
    ///
    /// # Errors
    /// If the set is damaged.
    pub fn import_guards(&self) -> Result<BTreeMap<String, BTreeSet<Guard>>, ImageError> {
        Ok(self.property_set(IMPORT_GUARDS)?.map(|set| guards::read_import_guards(&set)).transpose()?.unwrap_or_default())
    }

    /// How the kernel, or the function that the image offers, comes to a function that it imports: from that function's caller up to itself, each
    /// with the place of its own call, as a [`Source`] goes on. Empty if that is not known; what is damaged is not known either.
    pub fn import_chain(&self, symbol: &str, import: &str) -> Vec<Step> {
        let value = self.property(IMPORT_CHAINS, symbol).ok().flatten();
        value.and_then(|value| sources::chain_in(symbol, &value, import)).unwrap_or_default()
    }

    /// Device functions the image offers to others.
    ///
    /// # Errors
    /// If the set is damaged.
    pub fn exports(&self) -> Result<Vec<String>, ImageError> {
        Ok(self.property_set(EXPORTED_SYMBOLS)?.map_or(Vec::new(), |set| set.into_keys().collect()))
    }

    /// Device functions the image takes from others.
    ///
    /// # Errors
    /// If the set is damaged.
    pub fn imports(&self) -> Result<Vec<String>, ImageError> {
        Ok(self.property_set(IMPORTED_SYMBOLS)?.map_or(Vec::new(), |set| set.into_keys().collect()))
    }
}

/// Tells accidents, not attacks: any change within eight bytes shows for certain, others all but surely.
fn digest(bytes: &[u8]) -> String {
    let mut state = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
    }
    format!("{state:016x}")
}

/// Reads `SYCL/device-requirements`.
///
/// # Errors
/// If a value is damaged, or asks for something this build cannot check.
pub fn requirements_of(set: &PropertySet) -> Result<Requirements, ImageError> {
    let mut out = Requirements::default();
    for (name, value) in set {
        let wrong = |why: &str| ImageError::Requirement { set: DEVICE_REQUIREMENTS, name: name.clone(), why: why.to_owned() };
        let numbers = value.as_u32s().ok_or_else(|| wrong("it is no array of 32-bit numbers"))?;
        match name.as_str() {
            ASPECT => out.aspects = numbers.into_iter().map(Aspect::from_number).collect(),
            REQD_SUB_GROUP_SIZE => match numbers[..] {
                [size] if size > 0 => out.reqd_sub_group_size = Some(size),
                _ => return Err(wrong("it is not one number of at least 1")),
            },
            REQD_WORK_GROUP_SIZE => {
                let Some((&count, dims)) = numbers.split_first() else { return Err(wrong("it is empty")) };
                if count as usize != dims.len() {
                    return Err(wrong(&format!("it says it has {count} dimensions but holds {}", dims.len())));
                }
                let dims: Vec<u64> = dims.iter().copied().map(u64::from).collect();
                out.reqd_work_group_size = Some(WorkGroupSize::try_from(dims).map_err(|error| wrong(&error.to_string()))?);
            }
            _ => return Err(wrong("this version of Aspen does not know it and so cannot check it")),
        }
    }
    Ok(out)
}

/// The set `SYCL/device-requirements`; empty, and then left out of images, if nothing is needed.
///
/// A dimension above 2³²−1, which no device has, is stored as 2³²−1. Source: DESIGN §3, §5.
pub fn device_requirements(requirements: &Requirements) -> PropertySet {
    let mut set = PropertySet::new();
    if !requirements.aspects.is_empty() {
        set.insert(ASPECT.into(), Value::from_u32s(requirements.aspects.iter().map(|aspect| aspect.number())));
    }
    if let Some(size) = requirements.reqd_sub_group_size {
        set.insert(REQD_SUB_GROUP_SIZE.into(), Value::from_u32s([size]));
    }
    if let Some(size) = &requirements.reqd_work_group_size {
        let stored = |&dim: &u64| u32::try_from(dim).unwrap_or(u32::MAX);
        let dims = size.dims();
        let count = u32::try_from(dims.len()).unwrap_or(u32::MAX);
        set.insert(REQD_WORK_GROUP_SIZE.into(), Value::from_u32s([count].into_iter().chain(dims.iter().map(stored))));
    }
    set
}

/// The set `Aspen/kernels`.
pub fn kernels_set<'k>(kernels: impl IntoIterator<Item = (&'k str, &'k KernelInfo)>) -> PropertySet {
    kernels.into_iter().map(|(symbol, info)| (symbol.to_owned(), Value::Bytes(payload::write(info)))).collect()
}

/// A set that lists symbols, as `SYCL/exported symbols` does: each with the number 1.
pub fn symbols_set<'s>(symbols: impl IntoIterator<Item = &'s str>) -> PropertySet {
    symbols.into_iter().map(|symbol| (symbol.to_owned(), Value::U32(1))).collect()
}

pub(crate) fn read_payload<T: serde::de::DeserializeOwned>(set: &str, name: &str, value: &Value) -> Result<T, ImageError> {
    let damaged = |error| ImageError::Payload { set: set.to_owned(), name: name.to_owned(), error };
    let bytes = value.as_bytes().ok_or(ImageError::NoBytes { set: set.to_owned(), name: name.to_owned() })?;
    payload::read(bytes).map_err(damaged)
}

/// Makes the OffloadBinary entry of a device image.
#[derive(Clone, Debug)]
pub struct ImageBuilder {
    kind: ImageKind,
    triple: String,
    target: String,
    name: String,
    sets: PropertySets,
    kernels: Vec<(Kernel, Vec<Source>)>,
    exports: Vec<(String, Vec<Source>)>,
    guards: PropertySet,
    import_chains: PropertySet,
}

impl ImageBuilder {
    /// An image for the target of that name and triple; `name` is `<stem>_<n>`.
    pub fn new(kind: ImageKind, triple: &str, target: &str, name: &str) -> ImageBuilder {
        ImageBuilder {
            kind,
            triple: triple.to_owned(),
            target: target.to_owned(),
            name: name.to_owned(),
            sets: PropertySets::new(),
            kernels: Vec::new(),
            exports: Vec::new(),
            guards: PropertySet::new(),
            import_chains: PropertySet::new(),
        }
    }

    /// What the whole image needs.
    #[must_use]
    pub fn requirements(self, requirements: &Requirements) -> ImageBuilder {
        self.set(DEVICE_REQUIREMENTS, device_requirements(requirements))
    }

    /// The same in DPC++'s names and order. Source: FORMATS §4.5.
    #[must_use]
    pub fn requirements_dpcpp(self, requirements: &Requirements) -> ImageBuilder {
        self.set(DEVICE_REQUIREMENTS_DPCPP, dpcpp::device_requirements(requirements))
    }

    /// Adds a kernel; no sources leave no explanation.
    #[must_use]
    pub fn kernel(mut self, kernel: Kernel, sources: Vec<Source>) -> ImageBuilder {
        self.kernels.push((kernel, sources));
        self
    }

    /// Adds a device function that the image offers to others; no sources leave no explanation.
    #[must_use]
    pub fn export(mut self, symbol: &str, sources: Vec<Source>) -> ImageBuilder {
        self.exports.push((symbol.to_owned(), sources));
        self
    }

    /// How the entry point comes to what it imports ([`DeviceImage::import_chain`]).
    #[must_use]
    pub fn import_chains(mut self, symbol: &str, chains: &[(String, Vec<Step>)]) -> ImageBuilder {
        if !chains.is_empty() {
            self.import_chains.insert(symbol.to_owned(), sources::import_chains(chains));
        }
        self
    }

    /// The guards that an entry point reaches; none leave nothing.
    #[must_use]
    pub fn guards(mut self, symbol: &str, guards: &Guards) -> ImageBuilder {
        if !guards.is_empty() {
            self.guards.insert(symbol.to_owned(), guards::write(guards));
        }
        self
    }

    /// Device functions the image takes from others.
    #[must_use]
    pub fn imports<'s>(self, symbols: impl IntoIterator<Item = &'s str>) -> ImageBuilder {
        self.set(IMPORTED_SYMBOLS, symbols_set(symbols))
    }

    /// Any further set. Empty ones are left out.
    #[must_use]
    pub fn set(mut self, name: &str, set: PropertySet) -> ImageBuilder {
        if set.is_empty() {
            self.sets.remove(name);
        } else {
            self.sets.insert(name, set);
        }
        self
    }

    /// The sets as they will stand in the image.
    pub fn property_sets(&self) -> PropertySets {
        let mut sets = self.sets.clone();
        let kernels = kernels_set(self.kernels.iter().map(|(kernel, _)| (kernel.symbol.as_str(), &kernel.info)));
        let of_kernels = self.kernels.iter().map(|(kernel, sources)| (kernel.symbol.as_str(), sources.as_slice()));
        let of_exports = self.exports.iter().map(|(symbol, sources)| (symbol.as_str(), sources.as_slice()));
        let sources = requirement_sources_set(of_kernels.chain(of_exports));
        let exports = symbols_set(self.exports.iter().map(|(symbol, _)| symbol.as_str()));
        let (guards, chains) = (self.guards.clone(), self.import_chains.clone());
        let all =
            [(GUARDS, guards), (KERNELS, kernels), (REQUIREMENT_SOURCES, sources), (IMPORT_CHAINS, chains), (EXPORTED_SYMBOLS, exports)];
        for (name, set) in all {
            if !set.is_empty() {
                sets.insert(name, set);
            }
        }
        sets
    }

    /// The entry that holds `image`.
    ///
    /// # Errors
    /// If a set or property has a name that cannot be written.
    pub fn entry<'a>(&self, image: impl Into<Cow<'a, [u8]>>) -> Result<Entry<'a>, BuildError> {
        let mut entry = Entry::new(self.kind, image);
        let digest = digest(&entry.image);
        let symbols: Vec<&str> = self.kernels.iter().map(|(kernel, _)| kernel.symbol.as_str()).collect();
        for (key, value) in
            [("triple", self.triple.clone()), ("arch", self.target.clone()), ("symbols", symbols.join(",")), ("name", self.name.clone())]
        {
            entry.set_string(key, value.into_bytes());
        }
        add_sets(&mut entry, &self.property_sets())?;
        entry.set_string(DIGEST, digest.into_bytes());
        Ok(entry)
    }

    /// The bytes of the OffloadBinary that holds `image`.
    ///
    /// # Errors
    /// If a set or property has a name that cannot be written.
    pub fn to_bytes(&self, image: &[u8]) -> Result<Vec<u8>, BuildError> {
        Ok(self.entry(image)?.to_bytes()?)
    }
}

/// The entry with another image than that which it was made with; all that is said of it stays, but for the digest of the bytes.
pub fn with_bytes<'a>(mut entry: Entry<'a>, image: impl Into<Cow<'a, [u8]>>) -> Entry<'a> {
    entry.image = image.into();
    if entry.string(DIGEST).is_some() {
        let digest = digest(&entry.image);
        entry.set_string(DIGEST, digest.into_bytes());
    }
    entry
}

/// Writes each set as one string of the entry.
///
/// # Errors
/// If a set's name, or the name of a property, cannot be written.
pub fn add_sets(entry: &mut Entry<'_>, sets: &PropertySets) -> Result<(), BuildError> {
    for (name, set) in sets.iter() {
        check_set_name(name)?;
        if !name.contains('/') {
            return Err(BuildError::NoSlash(name.to_owned()));
        }
        entry.set_string(name.to_owned(), set_to_text(set)?.into_bytes());
    }
    Ok(())
}

/// An image that cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BuildError {
    /// A set or property name.
    #[error(transparent)]
    Name(#[from] UnwritableName),
    /// A triple, target, name or symbol.
    #[error(transparent)]
    Nul(#[from] NulInString),
    /// Property sets are told from other strings by the slash.
    #[error("the property set '{0}' has no slash in its name and could not be found again")]
    NoSlash(String),
}

/// An image whose strings cannot be understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImageError {
    /// Bytes that are not those that were linked.
    #[error("its bytes are damaged: they are not what was linked")]
    Bytes,
    /// A set that is no UTF-8.
    #[error("the property set '{set}' is no text")]
    NoText {
        /// The set's name.
        set: String,
    },
    /// A set whose lines cannot be read.
    #[error("the property set '{set}' is damaged: {error}")]
    Text {
        /// The set's name.
        set: String,
        /// Which line, and why.
        error: ParseError,
    },
    /// A property of a set of requirements.
    #[error("the requirement '{name}' in '{set}' cannot be used: {why}")]
    Requirement {
        /// The set's name, which depends on the dialect.
        set: &'static str,
        /// The property's name.
        name: String,
        /// Why.
        why: String,
    },
    /// A variable without its two numbers.
    #[error("the device_global '{name}' has no size and scope")]
    DeviceGlobal {
        /// The name that the host knows it by.
        name: String,
    },
    /// A number where bytes should be.
    #[error("the property '{name}' of '{set}' is no byte array")]
    NoBytes {
        /// The set's name.
        set: String,
        /// The property's name.
        name: String,
    },
    /// A payload of ours.
    #[error("the property '{name}' of '{set}' is damaged: {error}")]
    Payload {
        /// The set's name.
        set: String,
        /// The property's name.
        name: String,
        /// Why.
        error: PayloadError,
    },
    /// A source that names something outside its table of names.
    #[error("the property '{symbol}' of 'Aspen/requirement sources' is damaged: a name is missing")]
    SourceName {
        /// The kernel's symbol.
        symbol: String,
    },
    /// Guards that cannot be read, and so not be checked.
    #[error("the property '{symbol}' of 'Aspen/guards' is damaged")]
    Guards {
        /// The entry point's symbol.
        symbol: String,
    },
    /// Device code of an object that is no bitcode.
    #[error("device code of an object should be bitcode, not {0}")]
    NotBitcode(String),
    /// A string that must be there.
    #[error("the key '{0}' is missing or is no text")]
    NoString(&'static str),
}
