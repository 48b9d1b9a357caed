//! `aspen devices`: the devices that programs find on this machine.

use std::fmt::Write;

use aspen_contract::Aspect;
use serde_json::{Value, json};

use crate::runtime::{Device, Number, Runtime, Text};
use crate::{Answer, Failure, Format, here, json};

/// Runs the command.
pub fn run(format: Format) -> Result<Answer, Failure> {
    let runtime = here::runtime()?;
    let devices = runtime.devices().map_err(Failure::Input)?;
    Ok(Answer::clean(match format {
        Format::Json => {
            let list: Vec<Value> = devices.iter().map(|&device| document(&runtime, device)).collect();
            json::document(&json!({ "version": 1, "devices": list }))
        }
        Format::Text if devices.is_empty() => "no devices\n".into(),
        Format::Text => devices.iter().map(|&device| text(&runtime, device)).collect(),
    }))
}

fn aspects(runtime: &Runtime, device: Device) -> Vec<String> {
    runtime.aspects(device).iter().map(|&number| Aspect::from_number(number).to_string()).collect()
}

fn item_sizes(runtime: &Runtime, device: Device) -> [u64; 3] {
    [Number::MaxWorkItemSize0, Number::MaxWorkItemSize1, Number::MaxWorkItemSize2].map(|what| runtime.number(device, what))
}

fn document(runtime: &Runtime, device: Device) -> Value {
    let mut document = json!({
        "selector": runtime.string(device, Text::Selector),
        "name": runtime.string(device, Text::Name),
        "vendor": runtime.string(device, Text::Vendor),
        "driver": runtime.string(device, Text::Driver),
        "backend": runtime.backend(device),
        "aspects": aspects(runtime, device),
        "sub_group_sizes": runtime.sub_group_sizes(device),
        "max_work_group_size": runtime.number(device, Number::MaxWorkGroupSize),
        "max_work_item_sizes": item_sizes(runtime, device),
    });
    let why = runtime.string(device, Text::RunsNothing);
    if !why.is_empty() {
        document["runs_nothing"] = why.into();
    }
    document
}

fn text(runtime: &Runtime, device: Device) -> String {
    let mut out = String::new();
    let string = |what| runtime.string(device, what);
    let _ = writeln!(out, "{}  {}", string(Text::Selector), string(Text::Name));
    let sizes: Vec<String> = runtime.sub_group_sizes(device).iter().map(usize::to_string).collect();
    let [x, y, z] = item_sizes(runtime, device);
    for (what, value) in [
        ("vendor", string(Text::Vendor)),
        ("driver", string(Text::Driver)),
        ("aspects", aspects(runtime, device).join(", ")),
        ("sub-group sizes", sizes.join(", ")),
        ("work-group", format!("{} work-items, at most {x}x{y}x{z}", runtime.number(device, Number::MaxWorkGroupSize))),
    ] {
        let _ = writeln!(out, "  {what:16} {value}");
    }
    let why = string(Text::RunsNothing);
    if !why.is_empty() {
        let _ = writeln!(out, "  {:16} none: {why}", "kernels");
    }
    out
}
