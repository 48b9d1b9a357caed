//! The report as tables: devices, causes, and kernels × devices.

use super::model::Report;
use super::text::{count, effect_words, sentence, state};
use crate::inspect::needs;
use crate::paint::{self, Paint, Tone};
use crate::program;

/// All of it.
pub fn text(report: &Report, paint: Paint) -> String {
    let mut files = paint.table(&["file", "kernels", "images", "bytes"]);
    for file in &report.files {
        files.add_row([file.name.clone(), file.kernels.to_string(), file.images.to_string(), file.bytes.to_string()]);
    }
    let mut out = paint::lines(&files);
    if !report.devices.is_empty() {
        let mut devices = paint.table(&["device", "runs", "refused", "depends"]);
        for device in &report.devices {
            let totals = device.totals;
            devices.add_row([
                paint.cell(Tone::Strong, &device.name),
                paint.cell(Tone::Good, totals.runs),
                paint.cell(if totals.refused == 0 { Tone::Strong } else { Tone::Bad }, totals.refused),
                paint.cell(if totals.depends == 0 { Tone::Strong } else { Tone::Open }, totals.depends),
            ]);
        }
        out += &paint::lines(&devices);
    }
    if !report.causes.is_empty() {
        let mut head = vec!["cause"];
        head.extend(report.devices.iter().map(|device| device.name.as_str()));
        let mut causes = paint.table(&head);
        for cause in &report.causes {
            let effects = cause.effects.iter().map(|effect| effect_words(cause, effect).unwrap_or_default());
            causes.add_row(std::iter::once(sentence(cause)).chain(effects));
        }
        out += &paint::lines(&causes);
    }
    let mut head = vec!["unit", "kernel", "needs", "images", "bytes"];
    head.extend(report.devices.iter().map(|device| device.name.as_str()));
    let mut kernels = paint.table(&head);
    for (unit, entries) in report.units() {
        for entry in entries {
            let facts = [
                unit.to_owned(),
                paint::in_cell(&entry.name).into_owned(),
                needs(&entry.requirements),
                entry.images.len().to_string(),
                entry.bytes.to_string(),
            ];
            let cells = entry.cells.iter().map(|cell| {
                let lacks: Vec<String> = cell.needs.iter().map(program::short).collect();
                let why = if lacks.is_empty() { String::new() } else { format!(": {}", lacks.join(", ")) };
                let why = if cell.has_code { why } else { ": no code".into() };
                paint.cell(cell.answer.tone(), format!("{}{why}", state(cell.answer)))
            });
            kernels.add_row(facts.into_iter().map(|fact| paint.cell(Tone::Strong, fact)).chain(cells));
        }
    }
    out += &paint::lines(&kernels);
    let mut images = paint.table(&["image", "target", "kernels", "bytes", "needs", "why it is apart"]);
    for image in &report.images {
        images.add_row([
            image.name.clone(),
            image.target.clone(),
            count(image.kernels.len(), "kernel"),
            image.bytes.to_string(),
            needs(&image.requirements),
            image.why.clone(),
        ]);
    }
    out + &paint::lines(&images)
}
