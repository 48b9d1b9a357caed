//! Host and device must see the same kernels: a closure of another size or layout would be read wrongly, silently. Source: DESIGN §7.18.

use std::collections::BTreeMap;

use aspen_analysis::Launch;
use aspen_contract::Place;
use aspen_image::ObjectBlob;

use super::files::LinkUnit;
use crate::error::Error;

/// A disagreement: the kernel's place, and what differs.
pub type Complaint = (Option<Place>, String);

/// Compares the launches of the host pass with the kernels of every device pass, unit by unit. Returns all disagreements.
///
/// # Errors
/// If what a unit says of its kernels is damaged.
pub fn check(units: &[LinkUnit<'_>]) -> Result<Vec<Complaint>, Error> {
    let mut complaints = Vec::new();
    for unit in units {
        for blob in &unit.unit.blobs {
            let host = launches(unit, &blob.host_launches)?;
            let device = launches(unit, &blob.device_kernels)?;
            complaints.extend(differences(&unit.object, blob, &host, &device));
        }
    }
    const WAY_OUT: &str = "host and device passes must compile the same kernels: is one of them, its captures or a lambda in it under \
                           '#if __SYCL_DEVICE_ONLY__'?";
    Ok(complaints.into_iter().map(|(place, what)| (place, format!("{what}; {WAY_OUT}"))).collect())
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

fn differences(object: &str, blob: &ObjectBlob<'_>, host: &BTreeMap<String, Launch>, device: &BTreeMap<String, Launch>) -> Vec<Complaint> {
    let target = &blob.target;
    let complaint = |launch: &Launch, what: String| (launch.place.clone(), format!("kernel '{}' of '{object}' {what}", launch.name));
    let mut out = Vec::new();
    for (symbol, launch) in host {
        match device.get(symbol) {
            None => out.push(complaint(launch, format!("is launched by the host but is not in the device code for {target}"))),
            Some(kernel) if kernel.closure_size != launch.closure_size => out.push(complaint(
                launch,
                format!("has a closure of {} bytes on the host but of {} bytes on {target}", launch.closure_size, kernel.closure_size),
            )),
            Some(kernel) if kernel.layout != launch.layout => {
                let what = format!("has a closure whose members are laid out differently on the host and on {target}");
                out.push(complaint(launch, what));
            }
            Some(kernel) if kernel.known.iter().any(|number| !launch.known.contains(number)) => {
                let what = format!("has local accessors whose ranges the source says otherwise to the host than to {target}");
                out.push(complaint(launch, format!("{what} ('-fno-sycl-known-local-ranges' leaves them to the launch)")));
            }
            Some(_) => {}
        }
    }
    let only_device = device.iter().filter(|(symbol, _)| !host.contains_key(*symbol));
    out.extend(
        only_device.map(|(_, kernel)| complaint(kernel, format!("is in the device code for {target} but the host never launches it"))),
    );
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
            known: vec![(8, layout)],
            place,
        };
        (symbol.into(), launch)
    }

    #[test]
    fn every_kind_of_difference() {
        let header = aspen_image::ObjectHeader { tag: "t".into(), unit: "x.cpp".into(), opt: "2".into(), fixed: String::new() };
        let blob = ObjectBlob {
            target: "spir64".into(),
            triple: String::new(),
            header,
            summary: None,
            host_launches: [].into_iter().collect(),
            device_kernels: [].into_iter().collect(),
            bitcode: Vec::new().into(),
        };
        let host = BTreeMap::from([launch("SAME", 8, 1), launch("SIZE", 8, 1), launch("LAYOUT", 8, 1), launch("HOST", 8, 1)]);
        let device = BTreeMap::from([launch("SAME", 8, 1), launch("SIZE", 16, 2), launch("LAYOUT", 8, 2), launch("DEVICE", 8, 1)]);
        let told = |(place, what): Complaint| format!("{}: {what}", place.expect("every launch has one"));
        assert_eq!(
            differences("x.o", &blob, &host, &device).into_iter().map(told).collect::<Vec<_>>(),
            [
                "x.cpp:3:9: kernel 'host' of 'x.o' is launched by the host but is not in the device code for spir64",
                "x.cpp:3:9: kernel 'layout' of 'x.o' has a closure whose members are laid out differently on the host and on spir64",
                "x.cpp:3:9: kernel 'size' of 'x.o' has a closure of 8 bytes on the host but of 16 bytes on spir64",
                "x.cpp:3:9: kernel 'device' of 'x.o' is in the device code for spir64 but the host never launches it",
            ]
        );
        assert!(differences("x.o", &blob, &host, &host).is_empty());
    }
}
