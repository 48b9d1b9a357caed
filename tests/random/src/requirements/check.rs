//! Programs through `aspen++` and `aspen inspect`, and what they say beside the model.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::Value;

use super::ast::Program;
use super::emit::{self, Entity, File};
use super::model::{self, Expected, Node};
use crate::tool::Tools;

/// How kernels are put into images.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    PerKernel,
    PerSource,
    Off,
}

/// A way to compile.
pub struct Mode {
    pub name: &'static str,
    pub options: &'static [&'static str],
    pub split: Split,
    /// Kernels that need different things share an image.
    pub conditional: bool,
    /// Doubles count after optimisation.
    pub optimized: bool,
}

const fn mode(name: &'static str, options: &'static [&'static str], split: Split, conditional: bool, optimized: bool) -> Mode {
    Mode { name, options, split, conditional, optimized }
}

pub const MODES: [Mode; 7] = [
    mode("source", &["-O1"], Split::PerSource, false, false),
    mode("optimized", &["-O2", "-fsycl-requirements=optimized"], Split::PerSource, false, true),
    mode("off", &["-O2", "-fsycl-device-code-split=off"], Split::Off, false, false),
    mode("conditional", &["-O1", "-fsycl-optional-features=conditional"], Split::PerSource, true, false),
    mode("per_kernel", &["-O1", "-fsycl-device-code-split=per_kernel"], Split::PerKernel, false, false),
    mode("O0", &["-O0"], Split::PerSource, false, false),
    mode(
        "conditional-off",
        &["-O2", "-fsycl-optional-features=conditional", "-fsycl-device-code-split=off", "-fsycl-requirements=optimized"],
        Split::Off,
        true,
        true,
    ),
];

/// Something that is not as the model says; nothing names a program if it is about all.
pub struct Mismatch {
    pub program: Option<usize>,
    /// What kind of thing, then the details.
    pub what: String,
}

impl Mismatch {
    pub fn kind(&self) -> &str {
        self.what.split(':').next().unwrap_or_default()
    }
}

/// Compiles programs together and compares.
pub fn check(tools: &Tools, programs: &[&Program], mode: &Mode) -> Result<Vec<Mismatch>> {
    let folder = tempfile::Builder::new().prefix("aspen-random-").tempdir()?;
    let files = emit::files(programs);
    for file in &files {
        std::fs::write(folder.path().join(&file.name), &file.text)?;
    }
    let mut arguments = vec!["-fdiagnostics-format=json", "-j", "1", "-Xarch_host", "-O0", "-fsycl-targets=spir64", "-o", "program"];
    arguments.extend(mode.options);
    let recurses = programs.iter().any(|program| program.recurses());
    if recurses {
        // SYCL forbids it, and the analysis is exact all the same.
        arguments.push("-Wno-error=sycl-strict");
    }
    arguments.extend(files.iter().map(|file| file.name.as_str()).filter(|name| name.ends_with(".cpp")));
    let built = tools.command(folder.path(), "aspen++", &arguments)?;
    let problem = |what: String| Ok(vec![Mismatch { program: None, what }]);
    if !built.succeeded() {
        return problem(format!("does not compile: {}", built.failure().unwrap_or_default()));
    }
    let Ok(said) = serde_json::from_str::<Value>(&built.text) else {
        return problem(format!("diagnostics are no JSON: {}", built.text.chars().take(2000).collect::<String>()));
    };
    let inspected = tools.command(folder.path(), "aspen", &["inspect", "program", "--format", "json"])?;
    if let Some(why) = inspected.failure() {
        return problem(format!("cannot be inspected: {why}"));
    }
    let images: Value = serde_json::from_str(&inspected.text).context("aspen inspect writes JSON")?;
    let expected: Vec<Expected> = programs.iter().map(|program| model::expected(program)).collect();
    let mut out = kernels(programs, &expected, &images, mode);
    out.extend(warnings(programs, &expected, &said, &files, recurses));
    Ok(out)
}

/// One kernel as `inspect` shows it.
struct Seen {
    image: usize,
    aspects: BTreeSet<String>,
    sizes: (Value, Value),
}

fn kernels(programs: &[&Program], expected: &[Expected], images: &Value, mode: &Mode) -> Vec<Mismatch> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    let mut out = Vec::new();
    for (number, image) in list(&images["images"]).iter().enumerate() {
        for kernel in list(&image["kernels"]) {
            let name = kernel["name"].as_str().unwrap_or_default().to_owned();
            let needs = &kernel["requirements"];
            let aspects = list(&needs["aspects"]).iter().filter_map(|aspect| Some(aspect.as_str()?.to_owned())).collect();
            let sizes = (needs["reqd_sub_group_size"].clone(), needs["reqd_work_group_size"].clone());
            if seen.insert(name.clone(), Seen { image: number, aspects, sizes }).is_some() {
                out.push(Mismatch { program: None, what: format!("in two images: {name}") });
            }
        }
    }
    let mut groups: BTreeMap<String, (BTreeSet<usize>, usize)> = BTreeMap::new();
    for (number, program) in programs.iter().enumerate() {
        for (index, kernel) in program.kernels.iter().enumerate() {
            let mut wrong = |what: String| out.push(Mismatch { program: Some(number), what });
            let name = format!("q{}::K{index}", program.seed);
            let Some(seen) = seen.get(&name) else {
                wrong(format!("not in any image: {name}"));
                continue;
            };
            let (source, optimized) = &expected[number].kernels[index];
            let right = if mode.optimized { optimized.as_ref() } else { Some(source) };
            let text = |aspects: &super::ast::Aspects| aspects.iter().map(|aspect| (*aspect).to_owned()).collect::<BTreeSet<_>>();
            // Where nobody knows about doubles, all else must be right.
            let mut without = text(source);
            without.remove("fp64");
            let fits = match right {
                Some(right) => seen.aspects == text(right),
                None => seen.aspects == text(source) || seen.aspects == without,
            };
            if !fits {
                wrong(format!("wrong aspects: {name} has {:?}, not {:?}", seen.aspects, right.unwrap_or(source)));
            }
            let sizes = (kernel.sub_group.map_or(Value::Null, Value::from), kernel.work_group.clone().map_or(Value::Null, Value::from));
            if seen.sizes != sizes {
                wrong(format!("wrong sizes: {name} has {:?}, not {sizes:?}", seen.sizes));
            }
            let needs = if mode.conditional { String::new() } else { format!("{:?} {:?}", seen.aspects, seen.sizes) };
            let key = match mode.split {
                Split::PerKernel => name,
                Split::PerSource => format!("unit {} {needs}", kernel.unit),
                Split::Off => needs,
            };
            let group = groups.entry(key).or_insert((BTreeSet::new(), number));
            group.0.insert(seen.image);
        }
    }
    let images: usize = groups.values().map(|group| group.0.len()).sum();
    let distinct: BTreeSet<usize> = groups.values().flat_map(|group| group.0.iter().copied()).collect();
    for (key, (images, program)) in &groups {
        if images.len() > 1 {
            out.push(Mismatch { program: Some(*program), what: format!("in several images: kernels of {key}") });
        }
    }
    if images > distinct.len() {
        out.push(Mismatch { program: None, what: "in one image: kernels that must not share one".into() });
    }
    out
}

fn warnings(programs: &[&Program], expected: &[Expected], said: &Value, files: &[File], recurses: bool) -> Vec<Mismatch> {
    // By whose attribute it is, and the aspect; instances of a template count by themselves.
    let mut balance: BTreeMap<(usize, Entity, String), i64> = BTreeMap::new();
    let mut out = Vec::new();
    for diagnostic in said["diagnostics"].as_array().cloned().unwrap_or_default() {
        if diagnostic["group"] != "sycl-aspects" {
            let group = diagnostic["group"].as_str().unwrap_or_default();
            if group.starts_with("sycl") && !(group == "sycl-strict" && recurses) {
                out.push(Mismatch { program: None, what: format!("an unexpected diagnostic: {diagnostic}") });
            }
            continue;
        }
        let message = diagnostic["message"].as_str().unwrap_or_default();
        let place = &diagnostic["note"]["place"];
        let file = files.iter().find(|file| Some(file.name.as_str()) == place["file"].as_str());
        let at = file.zip(place["line"].as_u64()).and_then(|(file, line)| file.attributes.get(&line));
        let (Some((program, entity)), Some(aspect)) = (at, message.split('\'').nth(3)) else {
            out.push(Mismatch { program: None, what: format!("a warning nobody knows: {diagnostic}") });
            continue;
        };
        *balance.entry((*program, *entity, aspect.to_owned())).or_default() += 1;
        if let Some(why) = misplaced(&diagnostic, files, programs[*program], *program, *entity) {
            out.push(Mismatch { program: Some(*program), what: format!("{why}: {diagnostic}") });
        }
    }
    for (number, expected) in expected.iter().enumerate() {
        for (node, aspect) in &expected.warnings {
            let entity = match node {
                Node::Function { function, .. } => Entity::Function(*function),
                Node::Kernel(kernel) => Entity::Kernel(*kernel),
            };
            *balance.entry((number, entity, (*aspect).to_owned())).or_default() -= 1;
        }
    }
    for ((program, entity, aspect), left) in balance {
        let name = match entity {
            Entity::Function(index) => format!("fn{index}"),
            Entity::Kernel(index) => format!("K{index}"),
        };
        let seed = programs[program].seed;
        let what = match left {
            0 => continue,
            1.. => format!("a warning too many: q{seed}::{name} uses {aspect} ({left})"),
            _ => format!("a warning is missing: q{seed}::{name} uses {aspect} ({left})"),
        };
        out.push(Mismatch { program: Some(program), what });
    }
    out
}

/// Whether a warning's place, the use, is not in the function that ends the chain, nor (for a need that is a callee's attribute) in the one
/// before it. Functions are known by their names' ends, so lambdas are not looked at.
fn misplaced(diagnostic: &Value, files: &[File], program: &Program, number: usize, warned: Entity) -> Option<&'static str> {
    let place = &diagnostic["place"];
    let Some(line) = place["line"].as_u64() else {
        // What a function is marked with itself has no place yet.
        let marked = matches!(warned, Entity::Function(index) if !program.functions[index].marks.is_empty());
        return (!marked).then_some("a warning without a place");
    };
    let chain = diagnostic["chain"].as_array().map(Vec::as_slice).unwrap_or_default();
    let last = chain.last().and_then(|step| entity(step["function"].as_str()?));
    let file = files.iter().find(|file| Some(file.name.as_str()) == place["file"].as_str());
    // What a function of a header does is done there.
    let Some(file) = file else { return last.and(Some("a warning in no file of the program")) };
    let mut ends: Vec<Entity> = Vec::new();
    for step in chain.iter().rev().take(2) {
        ends.push(entity(step["function"].as_str().unwrap_or_default())?);
    }
    if chain.len() == 1 {
        ends = vec![warned];
    }
    let inside = |entity: &Entity| file.ranges.get(&(number, *entity)).is_some_and(|(first, last)| (*first..=*last).contains(&line));
    (!ends.iter().any(inside)).then_some("a warning elsewhere")
}

/// The entity of a name in a message.
fn entity(name: &str) -> Option<Entity> {
    let name = name.split('<').next().unwrap_or_default().rsplit("::").next().unwrap_or_default();
    let number = |text: &str| text.parse().ok();
    match name.strip_prefix("fn") {
        Some(index) => Some(Entity::Function(number(index)?)),
        None => Some(Entity::Kernel(number(name.strip_prefix('K')?)?)),
    }
}
