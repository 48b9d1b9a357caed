//! Host and device must see the same kernels: a closure of another size or layout would be read wrongly, silently. Source: DESIGN §7.18.
//! Compiles and links should know the same of a target.

use std::collections::BTreeMap;

use aspen_analysis::Launch;
use aspen_contract::Place;

use super::files::LinkUnit;
use crate::error::Error;
use crate::targets::Target;

/// A disagreement: the kernel's place, and what differs.
pub type Complaint = (Option<Place>, String);

/// Compares the launches of the host pass with the kernels of every device pass, unit by unit. Returns all disagreements, each once for all
/// targets.
///
/// # Errors
/// If what a unit says of its kernels is damaged.
pub fn check(units: &[LinkUnit<'_>]) -> Result<Vec<Complaint>, Error> {
    let mut complaints: Vec<(Complaint, Vec<&str>)> = Vec::new();
    for unit in units {
        for blob in &unit.unit.blobs {
            let host = launches(unit, &blob.host_launches)?;
            let device = launches(unit, &blob.device_kernels)?;
            for complaint in differences(&unit.object, &host, &device) {
                match complaints.iter_mut().find(|(known, _)| *known == complaint) {
                    // What one place launches under several symbols says the same of each.
                    Some((_, targets)) if targets.contains(&blob.target.as_str()) => {}
                    Some((_, targets)) => targets.push(&blob.target),
                    None => complaints.push((complaint, vec![&blob.target])),
                }
            }
        }
    }
    const WAY_OUT: &str = "host and device passes must compile the same kernels: is one of them, its captures or a lambda in it under \
                           '#if __SYCL_DEVICE_ONLY__'?";
    Ok(complaints.into_iter().map(|((place, what), targets)| (place, format!("{what} {}; {WAY_OUT}", targets.join(", ")))).collect())
}

/// What is to be said of targets that device files describe otherwise now than when units were compiled: kernels of `if_device_has` were
/// chosen by one list of aspects, and images would be left out, and said to need, by the other.
pub fn descriptions(units: &[LinkUnit<'_>], targets: &[Target]) -> Vec<String> {
    let differs = |target: &Target| {
        let now = target.macros.join("\n");
        let unit = units
            .iter()
            .find(|unit| unit.unit.blobs.iter().any(|blob| blob.target == target.name && !blob.told.is_empty() && blob.told != now))?;
        Some(format!(
            "'{}' was compiled with other aspects of target '{}' than this link knows of, and code that asks for aspects may be the wrong one; \
             give the same '-fsycl-device-config-file' to both",
            unit.object, target.name
        ))
    };
    targets.iter().filter_map(differs).collect()
}

fn launches<'a>(
    unit: &LinkUnit<'_>,
    payloads: impl IntoIterator<Item = (&'a String, &'a Vec<u8>)>,
) -> Result<BTreeMap<String, Launch>, Error> {
    let damaged = |error: postcard::Error| {
        let what = format!("damaged device code, or that of another version of Aspen: {error}; compile its source again");
        Error::input(unit.object.as_ref(), what)
    };
    payloads.into_iter().map(|(symbol, bytes)| Ok((symbol.clone(), postcard::from_bytes(bytes).map_err(damaged)?))).collect()
}

/// The texts go on with the target's name.
fn differences(object: &str, host: &BTreeMap<String, Launch>, device: &BTreeMap<String, Launch>) -> Vec<Complaint> {
    let complaint = |launch: &Launch, what: &str| (launch.place.clone(), format!("kernel '{}' of '{object}' {what}", launch.name));
    let mut out = Vec::new();
    for (symbol, launch) in host {
        match device.get(symbol) {
            None => out.push(complaint(launch, "is launched by the host but is not in the device code for")),
            Some(kernel) if kernel.closure_size != launch.closure_size => out.push(complaint(
                launch,
                &format!("has a closure of {} bytes on the host but of {} bytes on", launch.closure_size, kernel.closure_size),
            )),
            Some(kernel) if kernel.layout != launch.layout && kernel.is_vouched_for() == launch.is_vouched_for() => {
                out.push(complaint(launch, "has a closure whose members are laid out differently on the host and on"));
            }
            Some(kernel) if kernel.known.iter().any(|number| !launch.known.contains(number)) => out.push(complaint(
                launch,
                "has local accessors whose ranges ('-fno-sycl-known-local-ranges' leaves them to the launch) the source says otherwise to \
                 the host than to",
            )),
            Some(_) => {}
        }
    }
    let only_device = device.iter().filter(|(symbol, _)| !host.contains_key(*symbol));
    out.extend(only_device.map(|(_, kernel)| complaint(kernel, "is never launched by the host but is in the device code for")));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel with that layout, and a number that its code counts on.
    fn launch(symbol: &str, closure_size: u64, layout: u64) -> (String, Launch) {
        let place = Some(Place { file: "x.cpp".into(), line: 3, column: 9 });
        let launch = Launch {
            symbol: symbol.into(),
            name: symbol.to_lowercase(),
            internal: false,
            closure_size,
            layout,
            known: vec![(8, layout & !1)],
            place,
        };
        (symbol.into(), launch)
    }

    #[test]
    fn every_kind_of_difference() {
        let host =
            BTreeMap::from([launch("SAME", 8, 2), launch("SIZE", 8, 2), launch("LAYOUT", 8, 2), launch("HOST", 8, 2), launch("ONE", 8, 2)]);
        // Of `ONE`, only this pass has found something that the user vouches for.
        let device = BTreeMap::from([
            launch("SAME", 8, 2),
            launch("SIZE", 16, 4),
            launch("LAYOUT", 8, 4),
            launch("DEVICE", 8, 2),
            launch("ONE", 8, 3),
        ]);
        let told = |(place, what): Complaint| format!("{}: {what}", place.expect("every launch has one"));
        assert_eq!(
            differences("x.o", &host, &device).into_iter().map(told).collect::<Vec<_>>(),
            [
                "x.cpp:3:9: kernel 'host' of 'x.o' is launched by the host but is not in the device code for",
                "x.cpp:3:9: kernel 'layout' of 'x.o' has a closure whose members are laid out differently on the host and on",
                "x.cpp:3:9: kernel 'size' of 'x.o' has a closure of 8 bytes on the host but of 16 bytes on",
                "x.cpp:3:9: kernel 'device' of 'x.o' is never launched by the host but is in the device code for",
            ]
        );
        assert!(differences("x.o", &host, &host).is_empty());
    }
}
