//! The report for people: devices and what is to blame first, every kernel in one line after that.

use std::fmt::Write;

use super::advice::advice;
use super::causes::{Cause, Effect};
use super::changes::Changes;
use super::model::{Entry, Report};
use crate::check::show::Only;
use crate::inspect::needs;
use crate::paint::{Paint, Tone};
use crate::program;

/// Kernels that are named for a cause; all are in the list below, and in the other forms.
const NAMED: usize = 4;

/// All of it.
pub fn text(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    for file in &report.files {
        let _ = writeln!(out, "{}: {} in {}, {} bytes", file.name, count(file.kernels, "kernel"), count(file.images, "image"), file.bytes);
    }
    if !report.devices.is_empty() {
        heading(&mut out, "devices", paint);
        let width = report.devices.iter().map(|device| device.name.chars().count()).max().unwrap_or(0);
        for device in &report.devices {
            let _ = writeln!(out, "  {:width$}  {}", device.name, device.totals.text(paint));
        }
    }
    if !report.causes.is_empty() {
        heading(&mut out, "causes", paint);
        report.causes.iter().for_each(|one| cause(&mut out, report, one, paint));
    }
    if let Some(changes) = &report.changes {
        heading(&mut out, &format!("changes since {}", changes.older), paint);
        self::changes(&mut out, report, changes);
    }
    heading(&mut out, "kernels", paint);
    for (unit, entries) in report.units() {
        let _ = writeln!(out, "  {}", paint.text(Tone::Strong, unit));
        let width = program::column_of(entries.iter().map(|entry| entry.name.as_str()));
        entries.into_iter().for_each(|entry| kernel(&mut out, report, entry, width, paint));
    }
    heading(&mut out, "images", paint);
    for image in &report.images {
        let (name, kernels) = (format!("{} {}", image.name, image.target), count(image.kernels.len(), "kernel"));
        let _ = writeln!(out, "  {name}: {kernels}, {} bytes, needs {}; {}", image.bytes, needs(&image.requirements), image.why);
    }
    report.files.iter().for_each(|file| out += &file.disagreements);
    out
}

/// `1 kernel`, `2 kernels`.
pub fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn heading(out: &mut String, words: &str, paint: Paint) {
    let _ = writeln!(out, "\n{}", paint.text(Tone::Strong, words));
}

fn cause(out: &mut String, report: &Report, cause: &Cause, paint: Paint) {
    let _ = writeln!(out, "  {}", paint.text(Tone::Strong, &sentence(cause)));
    for (device, effect) in report.devices.iter().zip(&cause.effects) {
        if let Some(words) = effect_words(cause, effect) {
            let _ = writeln!(out, "    {}: {words}", device.name);
        }
    }
    if let Some(place) = &cause.origin.place {
        match report.excerpts.around(place) {
            Some(Ok(lines)) => {
                let line = lines.into_iter().find(|(number, _)| *number == place.line);
                line.into_iter()
                    .for_each(|(number, line)| _ = writeln!(out, "    {}", paint.text(Tone::Faint, &format!("{number:5} | {line}"))));
            }
            Some(Err(why)) => _ = writeln!(out, "          | {why}"),
            None => {}
        }
    }
    let names: Vec<&str> = cause.kernels.iter().take(NAMED).map(|index| report.kernels[*index].name.as_str()).collect();
    let more = cause.kernels.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    let _ = writeln!(out, "    in {}{more}", names.join(", "));
    advice(cause).first().into_iter().for_each(|advice| _ = writeln!(out, "    {advice}"));
}

/// `inner() solver.cpp:3:12 pulls aspect fp64 into 14 kernels`.
pub fn sentence(cause: &Cause) -> String {
    let origin = &cause.origin;
    let kernels = count(cause.kernels.len(), "kernel");
    let place = origin.place.as_ref().map_or_else(String::new, |place| format!(" {place}"));
    match &origin.function {
        None => format!("{} is needed by {kernels}, and no use of it is recorded", origin.need),
        Some(function) if origin.declared => format!("{function}{place} declares {} for {kernels}", origin.need),
        Some(kernel) if origin.in_kernel => format!("kernel {kernel}{place} pulls {} into {kernels}", origin.need),
        Some(function) => format!("{function}(){place} pulls {} into {kernels}", origin.need),
    }
}

/// `14 kernels refused; without it up to 12 run`. Nothing if the device does not mind.
pub fn effect_words(cause: &Cause, effect: &Effect) -> Option<String> {
    if effect.refused + effect.unknown == 0 {
        return None;
    }
    let mut parts = Vec::new();
    if effect.refused > 0 {
        let most = if cause.is_exact { "" } else { "up to " };
        let without = match (effect.runs.len(), effect.depends.len()) {
            (0, 0) => "none runs without it alone: each needs it elsewhere too, or lacks more".into(),
            (0, depends) => format!("without it {most}{depends} may run"),
            (runs, _) if runs == effect.refused && cause.is_exact => "without it all run".into(),
            (runs, 0) => format!("without it {most}{runs} run"),
            (runs, depends) => format!("without it {most}{runs} run, and {depends} more may"),
        };
        parts.push(format!("{} refused; {without}", count(effect.refused, "kernel")));
    }
    if effect.unknown > 0 {
        parts.push(format!("{} may lack it", count(effect.unknown, "kernel")));
    }
    Some(parts.join("; "))
}

fn kernel(out: &mut String, report: &Report, entry: &Entry, width: usize, paint: Paint) {
    let cells = report.devices.iter().zip(&entry.cells).map(|(device, cell)| {
        let needs: Vec<String> = cell.needs.iter().map(program::short).collect();
        let why = match (cell.has_code, needs.is_empty()) {
            (false, _) => ": no code".to_owned(),
            (true, true) => String::new(),
            (true, false) => format!(": {}", needs.join(", ")),
        };
        format!("  {} {}", device.name, paint.text(cell.answer.tone(), &format!("{}{why}", state(cell.answer))))
    });
    let cells: String = cells.collect();
    let _ = writeln!(out, "    {:width$}  needs {}{cells}", entry.name, needs(&entry.requirements));
}

/// `runs`, `refused`, `depends`.
pub fn state(answer: Only) -> &'static str {
    match answer {
        Only::Yes => "runs",
        Only::No => "refused",
        Only::Maybe => "depends",
    }
}

fn changes(out: &mut String, report: &Report, changes: &Changes) {
    let before = out.len();
    let name = |kernel: usize| &report.kernels[kernel].name;
    for one in &changes.renamed {
        let _ = writeln!(out, "  renamed '{}', which was '{}' (by {})", name(one.kernel), one.older, one.by);
    }
    for (sign, list) in [("+", &changes.added), ("-", &changes.removed)] {
        for change in list {
            let place = use_of(report, change.kernel, &change.need).unwrap_or_default();
            let _ = writeln!(out, "  {sign} '{}' needs {}{place}", name(change.kernel), change.need);
        }
    }
    for turn in &changes.verdicts {
        let _ = writeln!(out, "  {}: '{}' {} (was: {})", turn.device, name(turn.kernel), supported(turn.after), supported(turn.before));
    }
    for kernel in &changes.kernels_added {
        let _ = writeln!(out, "  new '{}', needs {}", name(*kernel), needs(&report.kernels[*kernel].requirements));
    }
    for gone in &changes.kernels_removed {
        let _ = writeln!(out, "  gone '{}'", gone.name);
    }
    if out.len() == before {
        out.push_str("  none\n");
    }
}

/// ` at solver.cpp:3:12`.
fn use_of(report: &Report, kernel: usize, need: &str) -> Option<String> {
    let origins = &report.kernels[kernel].origins;
    let origin = origins.iter().find(|origin| origin.need.to_string() == need)?;
    Some(format!(" at {}", origin.place.as_ref()?))
}

fn supported(answer: Option<bool>) -> &'static str {
    match answer {
        Some(true) => "runs",
        Some(false) => "refused",
        None => "depends",
    }
}
