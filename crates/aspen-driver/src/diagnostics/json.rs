//! The documents that programs read: our JSON, and SARIF 2.1.0 with the group as rule. Source: DESIGN §2, §4.

use aspen_contract::{Place, Step};
use serde_json::{Value, json};

use super::{Diagnostic, Fix};
use crate::args::Severity;

pub(super) fn document(list: &[Diagnostic]) -> String {
    let diagnostics: Vec<Value> = list
        .iter()
        .map(|one| {
            json!({
                "severity": level(one.severity),
                "group": one.rule(),
                "message": one.message,
                "place": one.place.as_ref().map(place),
                "chain": one.chain.iter().map(step).collect::<Vec<_>>(),
                "fix": one.fix.as_ref().map(|fix| {
                    json!({ "file": fix.place.file, "line": fix.place.line, "column": fix.place.column, "insert": fix.text })
                }),
                "note": one.note.iter().chain(&one.notes).next().map(|(at, sentence)| json!({ "place": place(at), "message": sentence })),
            })
        })
        .collect();
    format!("{}\n", json!({ "version": 1, "diagnostics": diagnostics }))
}

pub(super) fn sarif(list: &[Diagnostic]) -> String {
    let mut rules: Vec<&str> = list.iter().filter_map(Diagnostic::rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = list
        .iter()
        .map(|one| {
            let calls = one.chain.iter().filter_map(|step| Some((step.place.as_ref()?, format!("calls '{}'", step.function))));
            let note = one.note.iter().chain(&one.notes).map(|(at, sentence)| (at, sentence.clone()));
            let related: Vec<Value> = calls
                .chain(note)
                .enumerate()
                .map(|(id, (at, sentence))| {
                    let mut location = location(at);
                    location["id"] = json!(id);
                    location["message"] = json!({ "text": sentence });
                    location
                })
                .collect();
            let mut result = json!({
                "level": level(one.severity),
                "message": { "text": one.message },
                "locations": one.place.iter().map(location).collect::<Vec<_>>(),
                "relatedLocations": related,
            });
            if let Some(rule) = one.rule() {
                result["ruleId"] = json!(rule);
            }
            if let Some(fix) = &one.fix {
                result["fixes"] = json!([sarif_fix(fix)]);
            }
            result
        })
        .collect();
    let driver = json!({
        "name": "aspen++",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|id| json!({ "id": id })).collect::<Vec<_>>(),
    });
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": results }],
    });
    format!("{document}\n")
}

fn sarif_fix(fix: &Fix) -> Value {
    let Place { file, line, column } = &fix.place;
    let nothing = json!({ "startLine": line, "startColumn": column, "endLine": line, "endColumn": column });
    let replacement = json!({ "deletedRegion": nothing, "insertedContent": { "text": fix.text } });
    json!({
        "description": { "text": "list the aspect in the attribute" },
        "artifactChanges": [{ "artifactLocation": { "uri": file }, "replacements": [replacement] }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning | Severity::Ignored => "warning",
    }
}

fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}

fn step(step: &Step) -> Value {
    json!({ "function": step.function, "place": step.place.as_ref().map(place) })
}

fn location(place: &Place) -> Value {
    let region = json!({ "startLine": place.line, "startColumn": place.column });
    json!({ "physicalLocation": { "artifactLocation": { "uri": place.file }, "region": region } })
}
