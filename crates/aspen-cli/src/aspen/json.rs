//! JSON of things that several commands print; keys may be added later, never removed or changed. Source: DESIGN §2.

use aspen_contract::{AspectSet, Requirements, Source};
use aspen_image::{PropertySets, Value as Property};
use serde_json::{Map, Value, json};

/// A document as it is printed.
pub fn document(value: &Value) -> String {
    format!("{value:#}\n")
}

/// `R` of DESIGN §2, and `guarded` where there is code that only some devices run: what the device has and lacks there, and what is needed.
pub fn requirements(requirements: &Requirements) -> Value {
    let names = |aspects: &AspectSet| aspects.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut out = json!({
        "aspects": names(&requirements.aspects),
        "reqd_sub_group_size": requirements.reqd_sub_group_size,
        "reqd_work_group_size": requirements.reqd_work_group_size.as_ref().map(|size| size.dims().to_vec()),
    });
    if !requirements.guarded.is_empty() {
        let guarded = requirements.guarded.iter().map(|(guard, needed)| {
            let lacks: Vec<_> = guard.lacks.iter().map(names).collect();
            json!({ "has": names(&guard.has), "lacks": lacks, "aspects": names(needed) })
        });
        out["guarded"] = guarded.collect();
    }
    out
}

/// `S` of DESIGN §2: the use first, the kernel last. A step without a place has an empty file and zeros;
/// one of which there is more to say has a `remark`.
pub fn source(source: &Source) -> Value {
    let step = |step: &aspen_contract::Step| {
        let place = step.place.as_ref();
        let mut out = json!({
            "function": step.function,
            "file": place.map_or("", |place| place.file.as_str()),
            "line": place.map_or(0, |place| place.line),
            "column": place.map_or(0, |place| place.column),
        });
        if let Some(remark) = &step.remark {
            out["remark"] = remark.to_string().into();
        }
        out
    };
    json!({ "need": source.need.to_string(), "declared": source.declared, "chain": source.chain.iter().map(step).collect::<Vec<_>>() })
}

/// All property sets.
pub fn properties(sets: &PropertySets) -> Value {
    let mut out = Map::new();
    for (name, set) in sets.iter() {
        let properties = set.iter().map(|(name, value)| (name.clone(), property(value))).collect();
        out.insert(name.to_owned(), Value::Object(properties));
    }
    Value::Object(out)
}

fn property(value: &Property) -> Value {
    match value {
        Property::U32(number) => json!({ "type": "u32", "value": number }),
        Property::Bytes(bytes) | Property::Bits { bytes, .. } => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "type": "bytes", "value": hex })
        }
    }
}
