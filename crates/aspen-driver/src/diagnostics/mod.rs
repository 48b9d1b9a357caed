//! Our own diagnostics: merged over all passes, given their severity, and rendered once. Source: DESIGN §4.

mod clang;
mod fix;
mod json;
mod text;

use std::collections::BTreeSet;
use std::fs;

use aspen_analysis::link::Excess;
use aspen_analysis::{Finding, Strict, Told};
use aspen_contract::{Place, Remark, Source, Step};

use crate::args::{Format, Group, Look, Severity, WarningControl};
use crate::link::Provider;

pub use fix::Fix;

/// A warning, or an error that was one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The group that controls it; errors of the link, and what is always warned about, are in none.
    pub group: Option<Group>,
    /// Never [`Severity::Ignored`].
    pub severity: Severity,
    /// Whether it is an error without any flag.
    pub by_default: bool,
    /// Where it points.
    pub place: Option<Place>,
    /// One sentence.
    pub message: String,
    /// How the use is reached, from the decorated function down; each step's place is the call in the step before.
    pub chain: Vec<Step>,
    /// A second place with its own sentence.
    pub note: Option<(Place, String)>,
    /// What to insert near the note.
    pub fix: Option<Fix>,
    /// clang's name of the group, if the finding is clang's.
    pub flag: Option<String>,
    /// clang's notes.
    pub notes: Vec<(Place, String)>,
}

impl Diagnostic {
    /// A warning.
    fn new(group: Group, place: Option<Place>, message: String, chain: Vec<Step>, note: Option<(Place, String)>) -> Diagnostic {
        let one = Diagnostic::of_nobody(Severity::Warning, place, message);
        Diagnostic { group: Some(group), by_default: false, chain, note, ..one }
    }

    /// One that no group of ours controls.
    fn of_nobody(severity: Severity, place: Option<Place>, message: String) -> Diagnostic {
        let (chain, notes) = Default::default();
        Diagnostic { group: None, severity, by_default: true, place, message, chain, note: None, fix: None, flag: None, notes }
    }

    /// The name behind `-W`.
    fn rule(&self) -> Option<&str> {
        self.group.map(Group::name).or(self.flag.as_deref())
    }
}

/// What makes two diagnostics the same.
type Key = (Option<Place>, String, Option<u32>);

/// All diagnostics of a run, in the order they were found, none twice.
#[derive(Debug, Default)]
pub struct Diagnostics {
    control: WarningControl,
    known: BTreeSet<Key>,
    list: Vec<Diagnostic>,
    printed: usize,
}

impl Diagnostics {
    /// With the user's flags.
    pub fn new(control: WarningControl) -> Diagnostics {
        Diagnostics { control, ..Diagnostics::default() }
    }

    /// Takes the findings of one pass; a (place, function, aspect) that another pass found already is the same finding.
    pub fn add_findings<'f>(&mut self, findings: impl IntoIterator<Item = &'f Finding>) {
        for finding in findings {
            // Overloads have one name, and each an attribute of its own.
            let which =
                finding.declared_at.as_ref().map_or_else(|| finding.function.clone(), |place| format!("{} {place:?}", finding.function));
            let key = (finding.place.clone(), which, Some(finding.aspect.number()));
            let message = format!("function '{}' uses aspect '{}' not listed in '{}'", finding.function, finding.aspect, finding.spelling);
            let note = format!("aspects of '{}' are declared here", finding.function);
            let note = finding.declared_at.clone().map(|place| (place, note));
            let attribute = finding.declared_at.as_ref();
            let fix = attribute.and_then(|place| fix::list_aspect(place, &finding.spelling, finding.aspect, &source_line));
            // Two of them in an empty list would lack the comma between them; the second is offered when the first is there.
            let fix =
                fix.filter(|fix| !fix.begins_list() || self.list.iter().flat_map(|other| &other.fix).all(|other| other.place != fix.place));
            let severity = self.control.severity_at(Group::Aspects, finding.pragma);
            let found = Diagnostic::new(Group::Aspects, finding.place.clone(), message, finding.chain.clone(), note);
            if let Some(added) = self.add_with(severity, key, found) {
                added.fix = fix;
            }
        }
    }

    /// A definition that needs more than a declaration in another unit said. Source: DESIGN §4.
    pub fn add_excess(&mut self, excess: &Excess) {
        let names: Vec<String> = excess.aspects.iter().map(|aspect| format!("'{aspect}'")).collect();
        let message = format!(
            "the definition of '{}' needs {} {}, which a declaration of it does not list",
            excess.function,
            if names.len() == 1 { "aspect" } else { "aspects" },
            names.join(", ")
        );
        let note = excess.declared_at.clone().map(|place| (place, format!("'{}' is declared here", excess.function)));
        let key = (excess.defined_at.clone(), message.clone(), None);
        self.add(key, Group::Aspects, excess.defined_at.clone(), message, excess.chain.clone(), note);
    }

    /// A `SYCL_EXTERNAL` function that no object of the link defines, nor a library of its line for that target. Source: DESIGN §4.
    /// `told`: what pragmas say of the place.
    pub fn add_undefined(
        &mut self,
        function: &str,
        provider: &Provider,
        target: &str,
        chain: Vec<Step>,
        told: impl Fn(&Place) -> Option<Told>,
    ) {
        let message = match provider {
            Provider::Found => return,
            Provider::Nobody => {
                format!("device function '{function}' is not defined in any object of this link; a library must provide it at run time")
            }
            Provider::Elsewhere { library, targets } => format!(
                "device function '{function}' is defined in '{library}' for {}, but not for target '{target}'; build that library for it, too",
                targets.iter().map(|target| format!("'{target}'")).collect::<Vec<_>>().join(", ")
            ),
        };
        let place = chain.last().and_then(|step| step.place.clone());
        let severity = match place.as_ref().and_then(told) {
            None => self.control.severity(Group::External),
            Some(Told::Ignored) => Severity::Ignored,
            Some(Told::Level(level)) => self.control.severity_at(Group::External, Some(level)),
        };
        let key = (place.clone(), message.clone(), None);
        self.add_with(severity, key, Diagnostic::new(Group::External, place, message, chain, None));
    }

    /// A kernel that a fixed target cannot run: at the use, with the chain from the kernel down to it. Source: DESIGN §4.
    pub fn add_fixed(&mut self, message: &str, source: Option<Source>) {
        let steps = source.map(|source| source.chain).unwrap_or_default();
        let place = steps.first().and_then(|step| step.place.clone());
        // Reasons go from the use up, each step with its own call; the chain goes down, each step with the call in the step before.
        let mut chain: Vec<Step> = Vec::new();
        let (mut call, mut remark) = (None, None);
        for step in steps.into_iter().rev() {
            chain.push(Step { function: step.function, place: call, remark });
            (call, remark) = (step.place, step.remark.filter(|remark| matches!(remark, Remark::Indirect { .. })));
        }
        self.add((place.clone(), message.to_owned(), None), Group::FixedTargets, place, message.to_owned(), chain, None);
    }

    /// What SYCL does not allow in device code; an error where code is made for SPIR-V, which has none of it. Source: DESIGN §7.28.
    pub fn add_strict(&mut self, strict: &Strict, for_spirv: bool) {
        let by_default = for_spirv && strict.pragma.is_none();
        let severity = match by_default {
            true => self.control.severity_of_error(Group::Strict),
            false => self.control.severity_at(Group::Strict, strict.pragma),
        };
        let key = (strict.place.clone(), strict.message(), None);
        let diagnostic = Diagnostic::new(Group::Strict, strict.place.clone(), strict.message(), strict.chain.clone(), None);
        self.add_with(severity, key, Diagnostic { by_default, ..diagnostic });
    }

    /// Something that keeps the program from being linked. The message is one sentence, or several.
    pub fn add_error(&mut self, place: Option<Place>, message: String, chain: Vec<Step>, note: Option<(Place, String)>) {
        self.push(Severity::Error, place, message, chain, note);
    }

    /// What clang or the driver said as text. Returns the lines that are no findings.
    pub fn add_said(&mut self, text: &str) -> String {
        let (found, rest) = clang::read(text);
        for one in found {
            self.add_with(one.severity, (one.place.clone(), one.message.clone(), None), one);
        }
        rest
    }

    /// A kernel that gets no image.
    pub fn add_left_out(&mut self, place: Option<Place>, message: String) {
        self.add((place.clone(), message.clone(), None), Group::LeftOut, place, message, Vec::new(), None);
    }

    fn push(&mut self, severity: Severity, place: Option<Place>, message: String, chain: Vec<Step>, note: Option<(Place, String)>) {
        let key = (place.clone(), message.clone(), None);
        self.add_with(severity, key, Diagnostic { chain, note, ..Diagnostic::of_nobody(severity, place, message) });
    }

    fn add(
        &mut self,
        key: Key,
        group: Group,
        place: Option<Place>,
        message: String,
        chain: Vec<Step>,
        note: Option<(Place, String)>,
    ) -> Option<&mut Diagnostic> {
        self.add_with(self.control.severity(group), key, Diagnostic::new(group, place, message, chain, note))
    }

    fn add_with(&mut self, severity: Severity, key: Key, diagnostic: Diagnostic) -> Option<&mut Diagnostic> {
        if severity == Severity::Ignored || !self.known.insert(key) {
            return None;
        }
        self.list.push(Diagnostic { severity, ..diagnostic });
        self.list.last_mut()
    }

    /// Whether something found so far is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// What is to be printed now. Text comes as it is found; a document is complete only at the end of the run.
    pub fn render(&mut self, look: &Look, color: bool, end: bool) -> String {
        match look.format {
            Format::Text => {
                let new = &self.list[self.printed..];
                let out = new.iter().map(|diagnostic| text::render(diagnostic, look, color, &source_line)).collect();
                self.printed = self.list.len();
                out
            }
            Format::Json if end => json::document(&self.list),
            Format::Sarif if end => json::sarif(&self.list),
            Format::Json | Format::Sarif => String::new(),
        }
    }
}

/// Findings as text for people, for tools that have no flags of clang's.
pub fn render_findings<'f>(findings: impl IntoIterator<Item = &'f Finding>, color: bool) -> String {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add_findings(findings);
    diagnostics.render(&Look::default(), color, true)
}

/// The line of the user's source with a caret under the place, as in a warning; nothing if the file is not at hand.
pub fn source_snippet(place: &Place, color: bool) -> String {
    text::source_snippet(place, color, &source_line)
}

/// The line of the user's source; `#line` may name a file that is not there, then there is no snippet.
fn source_line(place: &Place) -> Option<String> {
    let bytes = fs::read(&place.file).ok()?;
    let line = bytes.split(|&byte| byte == b'\n').nth(usize::try_from(place.line).ok()?.checked_sub(1)?)?;
    Some(String::from_utf8_lossy(line).trim_end_matches('\r').to_owned())
}

#[cfg(test)]
mod tests;
