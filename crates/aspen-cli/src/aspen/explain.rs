//! `aspen explain`: why a kernel needs what it needs.
//!
//! The chain stands use first, kernel last, as a refusal at run time tells it; under each place stands its line where the file is at hand.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use aspen_contract::{Aspect, Need, Source};
use aspen_devices::nearest;
use aspen_driver::source_snippet;
use aspen_llvm::readable_name;
use serde_json::{Value, json};

use crate::inspect::needs;
use crate::paint::{Paint, Tone};
use crate::program::{self, Image, Kernel};
use crate::{Answer, Failure, Format, json, wrapped};

/// Runs the command: all kernels in a table, or the chains of one.
pub fn run(file: &Path, kernel: Option<&str>, aspect: Option<&str>, format: Format) -> Result<Answer, Failure> {
    let mut images = program::read(file)?;
    program::add_libraries(file, &mut images);
    if format == Format::Json && kernel.is_none() {
        wrapped::explain_all(file, &mut images)?;
    }
    let kernels = program::kernels(&images);
    let Some(wanted) = kernel else {
        if format == Format::Json {
            let all = kernels.iter().map(|kernel| document("kernel", &images, kernel, None));
            return Ok(Answer::clean(documents(file, all.collect())));
        }
        let width = program::column(kernels.iter().copied());
        let lines = kernels.iter().map(|kernel| {
            let all = program::named(&images, &kernel.symbol);
            let own = |image: &Image, kernel: &Kernel| match all.len() {
                1 => needs(&kernel.requirements),
                _ => format!("{} in '{}' for {}", needs(&kernel.requirements), image.name, image.target),
            };
            let each: Vec<String> = all.iter().map(|&(image, kernel)| own(image, kernel)).collect();
            format!("{:width$}  {}\n", kernel.name, each.join("; "))
        });
        return Ok(Answer::clean(lines.collect()));
    };
    let found = program::named(&images, wanted);
    if found.is_empty() {
        let near = nearest(wanted, kernels.iter().map(|kernel| kernel.name.as_str()));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        return Err(Failure::Input(format!("'{}' holds no kernel '{wanted}'{hint}", file.display())));
    }
    let only = aspect.map(|name| known_aspect(name, &found).map(Need::Aspect)).transpose()?;
    let (mut text, mut all) = (String::new(), Vec::new());
    for &(image, kernel) in &found {
        let own;
        let by_code = wrapped::is_told_by_code(image);
        let kernel = if by_code {
            own = wrapped::explained(file, image, kernel)?;
            &own
        } else {
            kernel
        };
        let what = if image.functions.iter().any(|function| function.symbol == kernel.symbol) { "function" } else { "kernel" };
        if format == Format::Json {
            all.push(document(what, &images, kernel, only.as_ref()));
            continue;
        }
        if let Some(which) = which(&found, image, kernel) {
            let _ = writeln!(text, "{}{which}:", if text.is_empty() { "" } else { "\n" });
        }
        one(&mut text, &images, (image, what, kernel), only.as_ref(), by_code);
    }
    Ok(Answer::clean(if format == Format::Json { documents(file, all) } else { text }))
}

/// What tells it from others of the name: its symbol as people read it, or the image, where images of one differ.
fn which(all: &[(&Image, &Kernel)], image: &Image, kernel: &Kernel) -> Option<String> {
    let alike = all.iter().filter(|(_, other)| other.symbol == kernel.symbol).count() > 1;
    let symbols = all.iter().any(|(_, other)| other.symbol != kernel.symbol);
    let of_image = alike.then(|| format!("image '{}' for {}", image.name, image.target));
    let of_symbol = symbols.then(|| readable_name(&kernel.symbol));
    match (of_symbol, of_image) {
        (Some(symbol), Some(image)) => Some(format!("{symbol}, {image}")),
        (one, other) => one.or(other),
    }
}

/// One kernel or function.
fn one(out: &mut String, images: &[Image], (image, what, kernel): (&Image, &str, &Kernel), only: Option<&Need>, by_code: bool) {
    let paint = Paint::stdout();
    let wanted: Vec<Need> = only.map_or_else(|| kernel.requirements.needs().collect(), |only| vec![only.clone()]);
    if let Some((_, when)) = images.iter().flat_map(|image| &image.conditions).find(|(function, _)| *function == kernel.name) {
        let _ = writeln!(out, "{what} '{}' is kept when {when}", kernel.name);
    }
    if wanted.is_empty() {
        let _ = writeln!(out, "{what} '{}' needs nothing", kernel.name);
    }
    for need in &wanted {
        explain(out, (what, kernel), need, by_code, paint);
    }
    if only.is_none() {
        kernel.gone_sources().for_each(|source| gone(out, source));
    }
    from_elsewhere(out, images, (image, kernel), only, paint);
}

fn documents(file: &Path, kernels: Vec<Value>) -> String {
    json::document(&json!({ "version": 1, "file": file.display().to_string(), "kernels": kernels }))
}

/// The same for programs: `sources` is why it needs what it needs, `gone` what optimisation removed.
fn document(what: &str, images: &[Image], kernel: &Kernel, only: Option<&Need>) -> Value {
    let wanted = |source: &&Source| only.is_none_or(|only| *only == source.need);
    let kept = images.iter().flat_map(|image| &image.conditions).find(|(function, _)| *function == kernel.name);
    json!({
        "kind": what,
        "symbol": kernel.symbol,
        "name": kernel.name,
        "requirements": json::requirements(&kernel.requirements),
        "sources": kernel.needed_sources().filter(wanted).map(json::source).collect::<Vec<_>>(),
        "gone": kernel.gone_sources().filter(wanted).map(json::source).collect::<Vec<_>>(),
        "kept_when": kept.map(|(_, when)| when),
        "imports": imports(images, kernel),
    })
}

/// Device functions that it may call and that are defined elsewhere.
fn imports<'i>(images: &'i [Image], kernel: &Kernel) -> BTreeSet<&'i str> {
    let importing = images.iter().filter(|image| !image.imports.is_empty());
    let holds = |image: &&Image| image.kernels.iter().chain(&image.functions).any(|one| one.symbol == kernel.symbol);
    importing.filter(holds).flat_map(|image| image.imports_of(kernel)).collect()
}

fn known_aspect(name: &str, kernels: &[(&Image, &Kernel)]) -> Result<Aspect, Failure> {
    Aspect::from_text(name).ok_or_else(|| {
        let own: Vec<String> = kernels.iter().flat_map(|(_, kernel)| &kernel.requirements.aspects).map(ToString::to_string).collect();
        let hint = nearest(name, own.iter().map(String::as_str)).map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
        Failure::Input(format!("there is no aspect '{name}'{hint}"))
    })
}

fn explain(out: &mut String, (what, kernel): (&str, &Kernel), need: &Need, by_code: bool, paint: Paint) {
    let has = kernel.requirements.needs().any(|one| one == *need);
    if !has {
        let _ = writeln!(out, "{what} '{}' does not need {need}", kernel.name);
        kernel.gone_sources().filter(|source| source.need == *need).for_each(|source| gone(out, source));
        return;
    }
    let source = kernel.sources.iter().find(|source| source.need == *need);
    // Sizes are never anything else.
    let only_declared = matches!(need, Need::Aspect(_)) && source.is_some_and(|source| source.declared);
    let guards: Vec<String> = kernel.requirements.guards_of(need).map(|guard| format!(" {guard}")).collect();
    let guards = guards.join(" and");
    let only = if only_declared { ", which is only declared" } else { "" };
    let _ = writeln!(out, "{}", paint.text(Tone::Strong, &format!("{what} '{}' needs {need}{guards}{only}", kernel.name)));
    match source {
        Some(source) => chain(out, source, paint),
        None if by_code => out.push_str("  its code does not show it: declared, or gone after optimisation\n"),
        None => out.push_str("  the program was built without explanations (-fno-sycl-requirement-sources)\n"),
    }
}

/// A need that optimisation removed. Source: DESIGN §7.12.
fn gone(out: &mut String, source: &Source) {
    let what = match &source.need {
        Need::Aspect(aspect) => aspect.to_string(),
        need => need.to_string(),
    };
    let place = source.chain.first().and_then(|step| step.place.as_ref()).map_or_else(String::new, |place| format!(" at {place}"));
    let _ = writeln!(out, "{what}: in the source{place}, gone after optimisation");
}

/// The use first, the kernel last.
fn chain(out: &mut String, source: &Source, paint: Paint) {
    for (index, step) in source.chain.iter().enumerate() {
        let place = step.place.as_ref().map_or_else(|| "(place unknown)".into(), ToString::to_string);
        let what = match (index, source.declared) {
            (0, true) => "declared by",
            (0, false) => "used in",
            _ => "called from",
        };
        let remark = step.remark.as_ref().map_or_else(String::new, |remark| format!(", {remark}"));
        let _ = writeln!(out, "  {place}: {what} '{}'{remark}", step.function);
        if let Some(place) = &step.place {
            out.push_str(&source_snippet(place, paint.is_on()));
        }
    }
}

/// Device functions that are taken from other images, with what those need where this file holds them. Source: DESIGN §7.7.
fn from_elsewhere(out: &mut String, images: &[Image], (image, kernel): (&Image, &Kernel), only: Option<&Need>, paint: Paint) {
    let mut known = image.imports_of(kernel);
    if image.form.is_some() && image.kernels.iter().any(|one| one.symbol == kernel.symbol) {
        // What the program's own images and its libraries add is among the kernel's needs.
        known.retain(|symbol| kernel.unresolved.iter().any(|missing| missing == symbol));
    }
    let mut work: Vec<&str> = known.iter().rev().copied().collect();
    while let Some(symbol) = work.pop() {
        let name = readable_name(symbol);
        let provider = images.iter().filter(|other| other.target == image.target).find_map(|other| {
            let function = other.functions.iter().find(|function| function.symbol == symbol)?;
            Some((other, function))
        });
        let Some((other, function)) = provider else {
            let _ =
                writeln!(out, "it may call '{name}', which is defined in another file: what that needs is added when both come together");
            continue;
        };
        for need in function.requirements.needs().filter(|need| only.is_none_or(|only| only == need)) {
            let _ = writeln!(out, "it may call '{name}' of image '{}', which needs {need}", other.name);
            if let Some(source) = function.sources.iter().find(|source| source.need == need) {
                chain(out, source, paint);
            }
        }
        work.extend(other.imports_of(function).into_iter().filter(|symbol| known.insert(symbol)));
    }
}
