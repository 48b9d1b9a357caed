//! The sets `Aspen/requirement sources` and `Aspen/import chains`: why an entry point needs what it needs, here and through other images.
//! Source: DESIGN §5, §6; ARCHITECTURE "Images".

use aspen_contract::{Need, Place, Remark, Source, Step};
use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

use crate::image::read_payload;
use crate::payload;
use crate::property::{PropertySet, PropertySets, Value};

/// The set's name.
pub const IMPORT_CHAINS: &str = "Aspen/import chains";

/// One property of it: each import with its chain.
pub(crate) fn import_chains(chains: &[(String, Vec<Step>)]) -> Value {
    Value::Bytes(payload::write(&chains))
}

/// How an entry point comes to one import, by the sets of its image ([`crate::DeviceImage::import_chain`]); `None` if they do not say.
pub fn import_chain(sets: &PropertySets, symbol: &str, import: &str) -> Option<Vec<Step>> {
    chain_in(symbol, sets.get(IMPORT_CHAINS)?.get(symbol)?, import)
}

/// The chain of one import; nothing if there is none, or if the property is damaged: an explanation is a courtesy.
pub(crate) fn chain_in(symbol: &str, value: &Value, import: &str) -> Option<Vec<Step>> {
    let chains: Vec<(String, Vec<Step>)> = read_payload(IMPORT_CHAINS, symbol, value).ok()?;
    chains.into_iter().find(|(known, _)| known == import).map(|(_, chain)| chain)
}

/// The set `Aspen/requirement sources`.
pub fn requirement_sources_set<'k>(kernels: impl IntoIterator<Item = (&'k str, &'k [Source])>) -> PropertySet {
    let property = |(symbol, sources): (&str, &[Source])| (symbol.to_owned(), Value::Bytes(payload::write(&SourceTable::pack(sources))));
    kernels.into_iter().filter(|(_, sources)| !sources.is_empty()).map(property).collect()
}

/// `Vec<Source>` with every file and function name once: chains of one kernel repeat them a lot.
#[derive(Serialize, Deserialize)]
pub(crate) struct SourceTable {
    names: Vec<String>,
    sources: Vec<PackedSource>,
}

#[derive(Serialize, Deserialize)]
struct PackedSource {
    need: Need,
    declared: bool,
    chain: Vec<PackedStep>,
}

#[derive(Serialize, Deserialize)]
struct PackedStep {
    function: usize,
    /// File, line, column.
    place: Option<(usize, u32, u32)>,
    remark: Option<Remark>,
}

impl SourceTable {
    fn pack(sources: &[Source]) -> SourceTable {
        let mut names = IndexSet::new();
        let mut index = |name: &str| names.get_index_of(name).unwrap_or_else(|| names.insert_full(name.to_owned()).0);
        let mut step = |step: &Step| PackedStep {
            function: index(&step.function),
            place: step.place.as_ref().map(|place| (index(&place.file), place.line, place.column)),
            remark: step.remark.clone(),
        };
        let mut packed = Vec::with_capacity(sources.len());
        for source in sources {
            let chain = source.chain.iter().map(&mut step).collect();
            packed.push(PackedSource { need: source.need.clone(), declared: source.declared, chain });
        }
        SourceTable { names: names.into_iter().collect(), sources: packed }
    }

    /// `None` if a name is not in the table.
    pub(crate) fn unpack(self) -> Option<Vec<Source>> {
        let name = |index: usize| self.names.get(index).cloned();
        let place = |(file, line, column)| Some(Place { file: name(file)?, line, column });
        let step = |step: PackedStep| {
            let place = step.place.map_or(Some(None), |packed| place(packed).map(Some))?;
            Some(Step { function: name(step.function)?, place, remark: step.remark })
        };
        let source = |source: PackedSource| {
            let chain = source.chain.into_iter().map(step).collect::<Option<_>>()?;
            Some(Source { need: source.need, declared: source.declared, chain })
        };
        self.sources.into_iter().map(source).collect()
    }
}
