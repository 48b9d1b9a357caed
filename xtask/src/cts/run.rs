//! Running a category's program: on each driver as it is, and as if it had no fp16, no fp64, no 64-bit atomics.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::devices;
use super::expected::{Count, Counts};
use crate::shell::output;

/// What a profile takes away.
const WITHOUT: [&str; 3] = ["fp16", "fp64", "atomic64"];

/// A program that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// A device and the environment in which it is the only one.
pub struct Target {
    pub name: String,
    /// A device without something that it has.
    pub is_profile: bool,
    environment: Vec<(String, String)>,
}

#[derive(Default, Serialize, Deserialize)]
pub struct Outcome {
    pub counts: Counts,
    /// Names of test cases.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Counts what another run did as well.
    pub fn add(&mut self, more: Outcome) {
        for (to, more) in [(&mut self.counts.cases, more.counts.cases), (&mut self.counts.assertions, more.counts.assertions)] {
            to.passed += more.passed;
            to.failed += more.failed;
            to.skipped += more.skipped;
        }
        self.failures.extend(more.failures);
    }
}

/// All drivers that are here, each as it is and with each profile.
pub fn targets(bin: &Path, folder: &Path, only: &[String]) -> Result<Vec<Target>> {
    let native = vec![("ASPEN_DEVICE_SELECTOR".to_owned(), "native_cpu:*".to_owned())];
    let mut drivers = vec![("native_cpu", native)];
    let cache = devices::cache()?;
    for driver in &devices::DRIVERS {
        if driver.is_installed(&cache) {
            let environment = driver.environment(&cache).into_iter().map(|(name, value)| (name.to_owned(), value));
            drivers.push((driver.name, environment.collect()));
        } else {
            println!("left out: {}, which is not installed (cargo xtask devices --install)", driver.name);
        }
    }
    drivers.retain(|(name, _)| only.is_empty() || only.iter().any(|wanted| wanted == name));
    ensure!(!drivers.is_empty(), "none of the drivers {only:?} is here");
    let mut out = Vec::new();
    for (name, environment) in drivers {
        out.push(Target { name: name.to_owned(), is_profile: false, environment: environment.clone() });
        let (aspects, sizes) = device(bin, &environment)?;
        for missing in WITHOUT {
            let file = folder.join(format!("{name}-without-{missing}.yaml"));
            let left: Vec<&str> = aspects.iter().map(String::as_str).filter(|aspect| *aspect != missing).collect();
            let (left, sizes) = (left.join(", "), sizes.join(", "));
            let profile = format!("cts_device:\n  aspects: [{left}]\n  may_support_other_aspects: false\n  sub-group-sizes: [{sizes}]\n");
            std::fs::write(&file, profile).with_context(|| format!("cannot write {}", file.display()))?;
            let mut environment = environment.clone();
            environment.push(("ASPEN_DEVICE_PROFILE".to_owned(), "cts_device".to_owned()));
            environment.push(("ASPEN_DEVICE_CONFIG_FILE".to_owned(), file.display().to_string()));
            out.push(Target { name: format!("{name} without {missing}"), is_profile: true, environment });
        }
    }
    Ok(out)
}

/// Aspects and sub-group sizes of the first device.
fn device(bin: &Path, environment: &[(String, String)]) -> Result<(Vec<String>, Vec<String>)> {
    let mut ask = Command::new(bin.join("aspen"));
    let said = output(ask.args(["devices", "--format", "json"]).envs(environment.iter().cloned()))?;
    let said: serde_json::Value = serde_json::from_slice(&said.stdout).context("`aspen devices` gives no JSON")?;
    let first = said["devices"].as_array().and_then(|all| all.first()).with_context(|| format!("no device under {environment:?}"))?;
    let list = |key: &str| -> Vec<String> {
        let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        first[key].as_array().into_iter().flatten().map(text).collect()
    };
    Ok((list("aspects"), list("sub_group_sizes")))
}

/// What an earlier command saw, if neither the program nor the libraries, which are from `libraries`, are newer; else runs it.
pub fn run_or_kept(program: &Path, target: &Target, libraries: Option<SystemTime>) -> Result<Outcome> {
    let kept = report(program, target, "seen");
    let time = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    if let (Some(libraries), Some(written), Some(built)) = (libraries, time(&kept), time(program))
        && written > built.max(libraries)
        && let Ok(outcome) = toml::from_str(&std::fs::read_to_string(&kept)?)
    {
        return Ok(outcome);
    }
    let outcome = run(program, target)?;
    std::fs::write(&kept, toml::to_string(&outcome)?).with_context(|| format!("cannot write {}", kept.display()))?;
    Ok(outcome)
}

/// A file beside the program that belongs to its run on this device.
fn report(program: &Path, target: &Target, ending: &str) -> PathBuf {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    program.with_file_name(format!("{name}.{}.{ending}", target.name.replace(' ', "-")))
}

/// Runs all test cases; if the program dies, each alone, so that one crash hides no other result.
fn run(program: &Path, target: &Target) -> Result<Outcome> {
    let (list, report) = (report(program, target, "list"), report(program, target, "xml"));
    if ended(&mut command(program, target, &report, &[]))?.is_some_and(|status| status.code().is_some()) {
        let text = std::fs::read_to_string(&report).with_context(|| format!("cannot read {}", report.display()))?;
        if let Some(outcome) = parse(&text) {
            return Ok(outcome);
        }
    }
    ended(&mut command(program, target, &list, &["--list-tests"]))?;
    let names = std::fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let mut all = Outcome::default();
    for name in elements(&names, "Name") {
        let one = ended(&mut command(program, target, &report, &[&escaped(&name)]))?;
        let parsed = one.filter(|status| status.code().is_some()).and_then(|_| parse(&std::fs::read_to_string(&report).ok()?));
        match parsed {
            Some(outcome) => all.add(outcome),
            None => {
                all.counts.cases.failed += 1;
                let how = one.map_or_else(|| "took too long".to_owned(), |status| status.to_string());
                all.failures.push(format!("{name} ({how})"));
            }
        }
    }
    Ok(all)
}

fn command(program: &Path, target: &Target, report: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    let program: PathBuf = report.to_owned();
    command.args(arguments).args(["--reporter", "xml", "--out"]).arg(program);
    command.envs(target.environment.iter().cloned()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// `None`: it had to be ended.
fn ended(command: &mut Command) -> Result<Option<ExitStatus>> {
    let mut child = command.spawn().context("cannot start a test program")?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Catch2's XML report; `None` if it is cut off.
fn parse(xml: &str) -> Option<Outcome> {
    let last = |element: &str| -> Option<Count> {
        let attributes = attributes(xml.rsplit_once(&format!("<{element} "))?.1);
        let number = |name: &str| attributes.get(name).and_then(|text| text.parse::<u64>().ok());
        // What the suite expects to fail does not count as failed; a run that has no skips does not mention them.
        Some(Count {
            passed: number("successes")? + number("expectedFailures").unwrap_or(0),
            failed: number("failures")?,
            skipped: number("skips").unwrap_or(0),
        })
    };
    let counts = Counts { cases: last("OverallResultsCases")?, assertions: last("OverallResults")? };
    let mut failures = Vec::new();
    for part in xml.split("<TestCase ").skip(1) {
        let failed = part.split("<OverallResult ").nth(1).is_some_and(|result| result.trim_start().starts_with("success=\"false\""));
        if failed {
            failures.extend(attributes(part).remove("name"));
        }
    }
    Some(Outcome { counts, failures })
}

/// The attributes of the element that begins here.
fn attributes(text: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once("=\"") {
        if name.contains(['>', '<']) {
            break;
        }
        let Some((value, after)) = after.split_once('"') else { break };
        out.insert(name.trim().to_owned(), unescaped(value));
        rest = after;
    }
    out
}

/// The contents of all elements of that name.
fn elements(xml: &str, name: &str) -> Vec<String> {
    let begin = format!("<{name}>");
    xml.split(begin.as_str()).skip(1).filter_map(|part| Some(unescaped(part.split_once("</")?.0))).collect()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&")
}

/// A test's name as Catch2's command line takes it.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if matches!(c, '\\' | ',' | '[' | '*' | '"') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_counted() {
        let xml = r#"<Catch2TestRun name="x"><TestCase name="a &lt;b&gt;" tags="[t]"><OverallResult success="false" skips="0"/></TestCase>
            <TestCase name="c"><Section name="s"><OverallResults successes="1" failures="0"/></Section><OverallResult success="true"/></TestCase>
            <OverallResults successes="612" failures="2" expectedFailures="0" skips="3"/>
            <OverallResultsCases successes="30" failures="1" expectedFailures="1" skips="0"/></Catch2TestRun>"#;
        let outcome = parse(xml).expect("a whole report");
        let (cases, assertions) = (Count { passed: 31, failed: 1, skipped: 0 }, Count { passed: 612, failed: 2, skipped: 3 });
        assert_eq!(outcome.counts, Counts { cases, assertions });
        assert_eq!(outcome.failures, ["a <b>"]);
        assert!(parse(&xml[..300]).is_none(), "cut off");
    }

    #[test]
    fn names_reach_the_command_line_and_back() {
        assert_eq!(escaped("a, [b] *\\"), "a\\, \\[b] \\*\\\\");
        assert_eq!(elements("<T><Name>x &amp; y</Name></T><Name>z</Name>", "Name"), ["x & y", "z"]);
    }
}
