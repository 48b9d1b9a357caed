//! The report as one JSON document: that of `--format json`, and what the page shows. Source: docs/REPORTS.md; data/schema/report.json.

use aspen_contract::Place;
use serde_json::{Value, json};

use super::advice::advice;
use super::causes::{Cause, Effect};
use super::changes::{Change, Changes};
use super::model::{Entry, Report};
use crate::check::show::Only;
use crate::json;

/// All of it.
pub fn document(report: &Report) -> Value {
    let file = |file: &super::model::File| {
        json!({
            "file": file.name,
            "images": file.images,
            "kernels": file.kernels,
            "bytes": file.bytes,
            "compiler": if file.is_wrapped { "other" } else { "aspen" },
            "disagreements": file.disagreements.lines().collect::<Vec<_>>(),
        })
    };
    let device = |device: &super::model::Device| {
        let mut out = json!({ "name": device.name, "summary": device.totals.document() });
        if let Some(local) = &device.local {
            out["device"] = json!(local);
        }
        out
    };
    let image = |image: &super::images::ImageRow| {
        json!({
            "file": image.file,
            "name": image.name,
            "target": image.target,
            "format": image.format,
            "size": image.bytes,
            "requirements": json::requirements(&image.requirements),
            "kernels": image.kernels,
            "only_here": image.only_here.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "same_needs": image.same,
            "why": image.why,
        })
    };
    json!({
        "version": 1,
        "aspen": env!("CARGO_PKG_VERSION"),
        "options": report.options,
        "files": report.files.iter().map(file).collect::<Vec<_>>(),
        "devices": report.devices.iter().map(device).collect::<Vec<_>>(),
        "kernels": report.kernels.iter().map(|entry| kernel(report, entry)).collect::<Vec<_>>(),
        "causes": report.causes.iter().map(|one| cause(report, one)).collect::<Vec<_>>(),
        "images": report.images.iter().map(image).collect::<Vec<_>>(),
        "changes": report.changes.as_ref().map(changes),
        "excerpts": report.excerpts.document(),
    })
}

fn supported(answer: Only) -> Option<bool> {
    match answer {
        Only::Yes => Some(true),
        Only::No => Some(false),
        Only::Maybe => None,
    }
}

fn place(place: Option<&Place>) -> Value {
    place.map_or(Value::Null, |place| json!({ "file": place.file, "line": place.line, "column": place.column }))
}

fn kernel(report: &Report, entry: &Entry) -> Value {
    let devices = report.devices.iter().zip(&entry.cells).map(|(device, cell)| {
        json!({
            "name": device.name,
            "supported": supported(cell.answer),
            "unmet": cell.needs.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "has_code": cell.has_code,
        })
    });
    json!({
        "file": entry.file,
        "symbol": entry.symbol,
        "name": entry.name,
        "unit": entry.unit,
        "place": place(entry.place.as_ref()),
        "requirements": json::requirements(&entry.requirements),
        "needs": entry.requirements.needs().map(|need| need.to_string()).collect::<Vec<_>>(),
        "sources": entry.sources.iter().map(json::source).collect::<Vec<_>>(),
        "images": entry.images,
        "bytes": entry.bytes,
        "unresolved": entry.unresolved,
        "devices": devices.collect::<Vec<_>>(),
    })
}

fn cause(report: &Report, cause: &Cause) -> Value {
    let origin = &cause.origin;
    let effect = |(device, effect): (&super::model::Device, &Effect)| {
        json!({
            "name": device.name,
            "refused": effect.refused,
            "unknown": effect.unknown,
            "runs_without": effect.runs,
            "depends_without": effect.depends,
        })
    };
    json!({
        "need": origin.need.to_string(),
        "function": origin.function,
        "in_kernel": origin.in_kernel,
        "place": place(origin.place.as_ref()),
        "declared": origin.declared,
        "remark": origin.remark,
        "exact": cause.is_exact,
        "kernels": cause.kernels,
        "devices": report.devices.iter().zip(&cause.effects).map(effect).collect::<Vec<_>>(),
        "advice": advice(cause),
    })
}

fn changes(changes: &Changes) -> Value {
    let list = |list: &[Change]| list.iter().map(|change| json!({ "kernel": change.kernel, "need": change.need })).collect::<Vec<_>>();
    let removed = changes.kernels_removed.iter().map(|past| json!({ "name": past.name, "needs": past.needs.keys().collect::<Vec<_>>() }));
    let renamed = changes.renamed.iter().map(|one| json!({ "kernel": one.kernel, "older": one.older, "by": one.by }));
    let verdicts = changes
        .verdicts
        .iter()
        .map(|turn| json!({ "kernel": turn.kernel, "device": turn.device, "before": turn.before, "after": turn.after }));
    json!({
        "older": changes.older,
        "added": list(&changes.added),
        "removed": list(&changes.removed),
        "kernels_added": changes.kernels_added,
        "kernels_removed": removed.collect::<Vec<_>>(),
        "renamed": renamed.collect::<Vec<_>>(),
        "verdicts": verdicts.collect::<Vec<_>>(),
    })
}
