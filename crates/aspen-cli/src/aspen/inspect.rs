//! `aspen inspect`: images, kernels and requirements of a file.

use std::fmt::Write;
use std::path::Path;

use aspen_contract::Requirements;
use aspen_image::WorkItems;
use aspen_image::guards::import_guards_of;
use serde_json::{Value, json};

use crate::program::{self, Image, Kernel};
use crate::{Answer, Failure, Format, json};

/// Runs the command.
pub fn run(file: &Path, format: Format) -> Result<Answer, Failure> {
    let (left_out, images) = program::read_whole(file)?.into_iter().partition::<Vec<_>, _>(Image::is_left_out);
    Ok(Answer::clean(match format {
        Format::Text => text(file, &images) + &without_images(&left_out),
        Format::Json => json::document(&document(file, &images, &left_out)),
    }))
}

fn document(file: &Path, images: &[Image], left_out: &[Image]) -> Value {
    let kernel = |kernel: &Kernel| {
        json!({
            "symbol": kernel.symbol,
            "name": kernel.name,
            "requirements": json::requirements(&kernel.requirements),
            "sources": kernel.needed_sources().map(json::source).collect::<Vec<_>>(),
            "work_items": kernel.work_items.as_ref().map(work_items),
        })
    };
    let image = |(index, image): (usize, &Image)| {
        json!({
            "index": index,
            "name": image.name,
            "target": image.target,
            "format": image.format,
            "size": image.size,
            "requirements": json::requirements(&image.requirements),
            "kernels": image.kernels.iter().map(kernel).collect::<Vec<_>>(),
            "exports": image.exports,
            "imports": image.imports,
            "conditions": image.conditions.iter().map(|(name, when)| json!({ "function": name, "kept_when": when })).collect::<Vec<_>>(),
            "properties": json::properties(&image.properties),
        })
    };
    let images: Vec<Value> = images.iter().enumerate().map(image).collect();
    let left_out: Vec<Value> = left_out.iter().flat_map(|image| &image.kernels).map(kernel).collect();
    json!({ "version": 1, "file": file.display().to_string(), "images": images, "left_out": left_out })
}

/// The kernels that no target of the link could run.
fn without_images(left_out: &[Image]) -> String {
    let kernels: Vec<&Kernel> = left_out.iter().flat_map(|image| &image.kernels).collect();
    let mut out = if kernels.is_empty() { String::new() } else { "\nno target it was linked for can run:\n".to_owned() };
    let width = program::column(kernels.iter().copied());
    for kernel in kernels {
        let _ = writeln!(out, "    kernel {:width$}  needs {}", kernel.name, needs(&kernel.requirements));
    }
    out
}

fn text(file: &Path, images: &[Image]) -> String {
    let mut out = format!("{}: {} device image{}\n", file.display(), images.len(), if images.len() == 1 { "" } else { "s" });
    for (index, image) in images.iter().enumerate() {
        let _ = writeln!(out, "\n[{index}] {}  {}  {}  {} bytes", image.name, image.target, image.format, image.size);
        let _ = writeln!(out, "    needs {}", needs(&image.requirements));
        let width = program::column(&image.kernels);
        for kernel in &image.kernels {
            // Kernels of one image need the same; an object's code is not split yet.
            let own =
                if kernel.requirements == image.requirements { String::new() } else { format!("  needs {}", needs(&kernel.requirements)) };
            let how = match &kernel.work_items {
                None => String::new(),
                Some(WorkItems::Together) => "  runs a work-group at once".into(),
                Some(WorkItems::OneByOne { why, .. }) => format!("  runs item by item: {why}"),
            };
            let line = format!("    kernel {:width$}{own}{how}", kernel.name);
            let _ = writeln!(out, "{}", line.trim_end());
        }
        for (function, when) in &image.conditions {
            let _ = writeln!(out, "    {function} is kept when {when}");
        }
        for symbol in &image.exports {
            let _ = writeln!(out, "    exports {symbol}");
        }
        let guards = import_guards_of(&image.properties);
        for symbol in &image.imports {
            let where_needed: Vec<String> = guards.get(symbol).into_iter().flatten().map(ToString::to_string).collect();
            let _ = writeln!(out, "{}", format!("    imports {symbol} {}", where_needed.join(", or ")).trim_end());
        }
    }
    out
}

fn work_items(how: &WorkItems) -> Value {
    match how {
        WorkItems::Together => json!({ "together": true }),
        WorkItems::OneByOne { waits, why } => json!({ "together": false, "wait": waits, "why": why }),
    }
}

/// `aspect fp64, sub-group size 8, aspect fp16 where the device has gpu`, or `nothing`.
pub fn needs(requirements: &Requirements) -> String {
    let mut all: Vec<String> = requirements.unguarded().map(|need| need.to_string()).collect();
    let guarded =
        requirements.guarded.iter().flat_map(|(guard, needed)| needed.iter().map(move |aspect| format!("aspect {aspect} {guard}")));
    all.extend(guarded);
    if all.is_empty() { "nothing".into() } else { all.join(", ") }
}
