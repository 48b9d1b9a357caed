//! How verdicts are shown: as text, as one table over all devices, as JSON; which of them, in which order, with which totals. What is not
//! shown counts all the same.

use std::collections::BTreeMap;
use std::fmt::Write;

use aspen_contract::{Capabilities, Need, Verdict};
use aspen_llvm::readable_name;
use clap::ValueEnum;
use serde_json::{Value, json};

use super::{Gap, Says, Verdicts};
use crate::build::Built;
use crate::inspect::needs;
use crate::json;
use crate::paint::{self, Paint, Tone};
use crate::program::{self, Kernel};

/// An answer, as people ask for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub enum Only {
    /// Kernels that would not run
    No,
    /// Kernels of which it is not known
    Maybe,
    /// Kernels that would run
    Yes,
}

/// In which order kernels are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Sort {
    /// As the file has them
    File,
    /// By name
    Name,
    /// What would not run first
    Answer,
    /// By what is lacking and where it is used, the cause of most first
    Cause,
}

/// What is shown of the verdicts.
#[derive(clap::Args)]
pub struct Shown {
    /// Shows only kernels with these answers; the exit code counts all
    #[arg(long, value_enum, value_delimiter = ',', value_name = "ANSWER")]
    only: Vec<Only>,
    /// The order of kernels
    #[arg(long, value_enum, default_value_t = Sort::File)]
    sort: Sort,
    /// Ends with how many kernels run, are refused or depend on the device
    #[arg(long)]
    summary: bool,
}

/// How many kernels a device runs and refuses, and how many depend on the device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Totals {
    pub runs: usize,
    pub refused: usize,
    pub depends: usize,
}

impl Totals {
    /// Counts one more.
    pub fn add(&mut self, answer: Only) {
        *match answer {
            Only::Yes => &mut self.runs,
            Only::No => &mut self.refused,
            Only::Maybe => &mut self.depends,
        } += 1;
    }

    /// For programs.
    pub fn document(self) -> Value {
        json!({ "runs": self.runs, "refused": self.refused, "depends": self.depends })
    }

    /// `40 run, 14 are refused, 0 depend on the device`.
    pub fn text(self, paint: Paint) -> String {
        let Totals { runs, refused, depends } = self;
        let part = |count: usize, tone, one: &str, more: &str| {
            let words = format!("{count} {}", if count == 1 { one } else { more });
            if count == 0 { words } else { paint.text(tone, &words) }
        };
        format!(
            "{}, {}, {}",
            part(runs, Tone::Good, "runs", "run"),
            part(refused, Tone::Bad, "is refused", "are refused"),
            part(depends, Tone::Open, "depends on the device", "depend on the device")
        )
    }
}

impl Only {
    /// The tone of it.
    pub fn tone(self) -> Tone {
        match self {
            Only::Yes => Tone::Good,
            Only::No => Tone::Bad,
            Only::Maybe => Tone::Open,
        }
    }

    /// `yes`, `no`, `maybe`.
    pub fn word(self) -> &'static str {
        match self {
            Only::Yes => "yes",
            Only::No => "no",
            Only::Maybe => "maybe",
        }
    }
}

impl Says {
    /// In short.
    pub fn answer(&self) -> Only {
        match self {
            Says::Verdict(Verdict::Met) => Only::Yes,
            Says::Verdict(Verdict::Unknown(_)) | Says::Open(_) => Only::Maybe,
            Says::Verdict(Verdict::Unmet(_)) | Says::NoCode => Only::No,
        }
    }

    /// Whether the file has code for the device.
    pub fn has_code(&self) -> bool {
        !matches!(self, Says::NoCode | Says::Open(Gap::Code(_)))
    }

    /// What is lacking, or not known.
    pub fn needs(&self) -> &[Need] {
        match self {
            Says::Verdict(Verdict::Unmet(needs) | Verdict::Unknown(needs)) => needs,
            Says::Verdict(Verdict::Met) | Says::Open(_) | Says::NoCode => &[],
        }
    }

    /// `no: lacks aspect fp64`.
    pub fn text(&self, device: &Capabilities) -> String {
        match self {
            Says::Verdict(Verdict::Met) => "yes".into(),
            Says::Verdict(Verdict::Unmet(needs)) => format!("no: lacks {}", device.list(needs)),
            Says::Verdict(Verdict::Unknown(needs)) => format!("maybe: not known for {}", device.list(needs)),
            Says::Open(gap) => format!("maybe: {}", gap.text()),
            Says::NoCode => "no: the file has no code for it".into(),
        }
    }
}

impl Gap {
    fn text(&self) -> String {
        match self {
            Gap::Functions => "if a library that is loaded later defines what is missing".into(),
            Gap::Code(target) => format!("if it is compiled for it, too; the file has code for {target}"),
        }
    }
}

/// From so many kernels on they are counted, too.
const MANY: usize = 20;

impl Verdicts<'_> {
    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.kernels.iter().for_each(|(_, says)| totals.add(says.answer()));
        totals
    }

    /// What is shown, in its order.
    fn shown(&self, shown: &Shown) -> Vec<&(&Kernel, Says)> {
        let mut out: Vec<_> = self.kernels.iter().filter(|(_, says)| shown.has(says.answer())).collect();
        match shown.sort {
            Sort::File => {}
            Sort::Name => out.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name)),
            Sort::Answer => out.sort_by_key(|(_, says)| says.answer()),
            Sort::Cause => {
                let mut counts: BTreeMap<(Only, String), usize> = BTreeMap::new();
                out.iter().for_each(|(kernel, says)| *counts.entry((says.answer(), cause(kernel, says))).or_default() += 1);
                out.sort_by_cached_key(|(kernel, says)| {
                    let key = (says.answer(), cause(kernel, says));
                    let count = counts.get(&key).copied().unwrap_or_default();
                    (key.0, std::cmp::Reverse(count), key.1)
                });
            }
        }
        out
    }
}

impl Shown {
    fn has(&self, answer: Only) -> bool {
        self.only.is_empty() || self.only.contains(&answer)
    }
}

/// What keeps the kernel from running, first of all: `lacks aspect fp64, used in 'inner' at solver.cpp:3:12`. Nothing if it runs.
fn cause(kernel: &Kernel, says: &Says) -> String {
    let what = match says.answer() {
        Only::Yes => return String::new(),
        Only::No => "lacks",
        Only::Maybe => "not known for",
    };
    match (says, says.needs().first()) {
        (_, Some(need)) => format!("{what} {need}{}", use_of(kernel, need)),
        (Says::Open(gap), _) => gap.text(),
        _ => "the file has no code for it".into(),
    }
}

/// `, used in 'inner' at solver.cpp:3:12`, as far as it is recorded.
pub fn use_of(kernel: &Kernel, need: &Need) -> String {
    let Some(source) = kernel.sources.iter().find(|source| source.need == *need) else { return String::new() };
    let Some(first) = source.chain.first() else { return String::new() };
    let place = first.place.as_ref().map_or_else(String::new, |place| format!(" at {place}"));
    // Of a kernel's own use its name says nothing that is common to several.
    let function = if source.chain.len() == 1 && first.place.is_some() { String::new() } else { format!(" in '{}'", first.function) };
    format!(", {}{function}{place}", if source.declared { "declared" } else { "used" })
}

/// For people: every kernel, or causes with their kernels.
pub fn text(verdicts: &Verdicts<'_>, shown: &Shown, paint: Paint) -> String {
    let own = verdicts.local.map_or_else(String::new, |local| format!(" ({})", local.name));
    let mut out = format!("{}{own}:\n", paint.text(Tone::Strong, verdicts.name));
    if !verdicts.has_code {
        return out + "  the file has no code for it\n";
    }
    let rows = verdicts.shown(shown);
    match shown.sort {
        Sort::Cause => by_cause(&mut out, verdicts, &rows, paint),
        Sort::File | Sort::Name | Sort::Answer => one_by_one(&mut out, verdicts, &rows, paint),
    }
    if shown.summary {
        let _ = writeln!(out, "  of {}: {}", kernels(verdicts.kernels.len()), verdicts.totals().text(paint));
    }
    out + &verdicts.built.as_ref().map_or_else(String::new, Built::text)
}

fn kernels(count: usize) -> String {
    format!("{count} kernel{}", if count == 1 { "" } else { "s" })
}

fn one_by_one(out: &mut String, verdicts: &Verdicts<'_>, rows: &[&(&Kernel, Says)], paint: Paint) {
    let width = program::column(rows.iter().map(|(kernel, _)| *kernel));
    for (kernel, says) in rows {
        let answer = says.text(&verdicts.judge.device);
        let _ = writeln!(out, "  {:width$}  {}", kernel.name, paint.text(says.answer().tone(), &answer));
        unresolved(out, kernel, width);
    }
    if verdicts.kernels.len() >= MANY {
        let mut answers: BTreeMap<String, usize> = BTreeMap::new();
        verdicts.kernels.iter().for_each(|(_, says)| *answers.entry(says.text(&verdicts.judge.device)).or_default() += 1);
        let _ = writeln!(out, "  {} kernels in all:", verdicts.kernels.len());
        answers.iter().for_each(|(answer, count)| _ = writeln!(out, "    {count} {answer}"));
    }
}

fn unresolved(out: &mut String, kernel: &Kernel, width: usize) {
    for function in &kernel.unresolved {
        let _ = writeln!(out, "  {:width$}  without '{}', which none of the program's libraries defines", "", readable_name(function));
    }
}

fn by_cause(out: &mut String, verdicts: &Verdicts<'_>, rows: &[&(&Kernel, Says)], paint: Paint) {
    let causes: Vec<(Only, String)> = rows.iter().map(|(kernel, says)| (says.answer(), cause(kernel, says))).collect();
    let same = causes.chunk_by(|one, other| one == other);
    let mut rest = rows;
    for group in same {
        let Some((answer, cause)) = group.first() else { continue };
        let (own, after) = rest.split_at(group.len());
        rest = after;
        let why = if cause.is_empty() { String::new() } else { format!(": {cause}") };
        let _ = writeln!(out, "  {}{why} ({})", paint.text(answer.tone(), answer.word()), kernels(group.len()));
        for (kernel, says) in own {
            let more = says.needs().get(1..).filter(|more| !more.is_empty());
            let more = more.map_or_else(String::new, |more| format!("  also {}", verdicts.judge.device.list(more)));
            let _ = writeln!(out, "    {}{more}", kernel.name);
            unresolved(out, kernel, 2);
        }
    }
}

/// For people with several devices: one row a kernel, one column a device.
pub fn table(verdicts: &[Verdicts<'_>], shown: &Shown, paint: Paint) -> String {
    let with_cause = shown.sort == Sort::Cause;
    let mut head = vec!["kernel", "needs"];
    head.extend(verdicts.iter().map(|device| device.name));
    head.extend(with_cause.then_some("cause"));
    let mut table = paint.table(&head);
    // Every device has the same kernels in the same order.
    let mut rows: Vec<Row<'_>> =
        (0..verdicts.first().map_or(0, |device| device.kernels.len())).map(|index| Row::of(verdicts, index)).collect();
    rows.retain(|row| row.cells.iter().any(|says| shown.has(says.answer())));
    match shown.sort {
        Sort::File => {}
        Sort::Name => rows.sort_by(|one, other| one.kernel.name.cmp(&other.kernel.name)),
        Sort::Answer => rows.sort_by_cached_key(Row::answers),
        Sort::Cause => {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(&row.cause).or_default() += 1);
            let counts: BTreeMap<String, usize> = counts.into_iter().map(|(cause, count)| (cause.to_owned(), count)).collect();
            rows.sort_by_cached_key(|row| {
                let count = counts.get(&row.cause).copied().unwrap_or_default();
                (row.cause.is_empty(), row.answers().into_iter().min(), std::cmp::Reverse(count), row.cause.clone())
            });
        }
    }
    for row in &rows {
        let mut cells =
            vec![paint.cell(Tone::Strong, paint::in_cell(&row.kernel.name)), paint.cell(Tone::Strong, needs(&row.kernel.requirements))];
        cells.extend(row.cells.iter().map(|says| paint.cell(says.answer().tone(), in_short(says))));
        cells.extend(with_cause.then(|| paint.cell(Tone::Strong, &row.cause)));
        table.add_row(cells);
    }
    let mut out = paint::lines(&table);
    if shown.summary {
        let mut totals = paint.table(&["device", "runs", "refused", "depends"]);
        for device in verdicts {
            let Totals { runs, refused, depends } = device.totals();
            totals.add_row([
                paint.cell(Tone::Strong, device.name),
                paint.cell(Tone::Good, runs),
                paint.cell(if refused == 0 { Tone::Strong } else { Tone::Bad }, refused),
                paint.cell(if depends == 0 { Tone::Strong } else { Tone::Open }, depends),
            ]);
        }
        out += &paint::lines(&totals);
    }
    for device in verdicts {
        if let Some(built) = &device.built {
            let _ = write!(out, "{}:\n{}", device.name, built.text());
        }
    }
    out
}

/// A kernel with what every device says.
struct Row<'v> {
    kernel: &'v Kernel,
    cells: Vec<&'v Says>,
    /// That of the first device that does not run it.
    cause: String,
}

impl<'v> Row<'v> {
    fn of(verdicts: &'v [Verdicts<'_>], index: usize) -> Row<'v> {
        let all = || verdicts.iter().map(|device| &device.kernels[index]);
        let kernel = verdicts[0].kernels[index].0;
        let cause = all().map(|(kernel, says)| cause(kernel, says)).find(|cause| !cause.is_empty()).unwrap_or_default();
        Row { kernel, cells: all().map(|(_, says)| says).collect(), cause }
    }

    fn answers(&self) -> Vec<Only> {
        self.cells.iter().map(|says| says.answer()).collect()
    }
}

/// `no: fp64`.
fn in_short(says: &Says) -> String {
    let needs: Vec<String> = says.needs().iter().map(program::short).collect();
    let why = match says {
        Says::NoCode | Says::Open(Gap::Code(_)) => ": no code".into(),
        Says::Open(Gap::Functions) => ": functions".into(),
        _ if needs.is_empty() => String::new(),
        _ => format!(": {}", needs.join(", ")),
    };
    says.answer().word().to_owned() + &why
}

/// For programs.
pub fn document(verdicts: &Verdicts<'_>, shown: &Shown) -> Value {
    let device = &verdicts.judge.device;
    let kernel = |(kernel, says): &&(&Kernel, Says)| {
        let supported = match says.answer() {
            Only::Yes => Some(true),
            Only::No => Some(false),
            Only::Maybe => None,
        };
        let unmet = |need: &Need| {
            let source = kernel.sources.iter().find(|source| source.need == *need).map(json::source);
            json!({ "need": need.to_string(), "source": source, "not_offered": device.not_offered(need) })
        };
        json!({
            "symbol": kernel.symbol,
            "name": kernel.name,
            "supported": supported,
            "unmet": says.needs().iter().map(unmet).collect::<Vec<_>>(),
            "unresolved": kernel.unresolved,
            "has_code": says.has_code(),
        })
    };
    let mut out = json!({ "name": verdicts.name, "kernels": verdicts.shown(shown).iter().map(kernel).collect::<Vec<_>>() });
    if let Some(local) = verdicts.local {
        out["device"] = json!(local.name);
    }
    if let Some(built) = &verdicts.built {
        out["build"] = built.document();
    }
    if shown.summary {
        out["summary"] = verdicts.totals().document();
    }
    out
}
