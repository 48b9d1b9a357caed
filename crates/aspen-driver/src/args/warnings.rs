//! Severity of our own warnings: `-W[no-]G`, `-W[no-]error=G`, `-Werror`, `-w`, by clang's rules. Source: DESIGN §2, §4.

use aspen_analysis::Level;

/// A group of warnings that the driver prints.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// A function uses an aspect that its attribute does not list.
    Aspects,
    /// A `SYCL_EXTERNAL` function that no object defines.
    External,
    /// A kernel that a fixed target cannot run.
    FixedTargets,
    /// A kernel that gets no image, for a target or for any.
    LeftOut,
    /// Device code that does what SYCL does not allow though targets may take it; where they do not, it is an error by default.
    Strict,
}

const GROUPS: [Group; 5] = [Group::Aspects, Group::External, Group::FixedTargets, Group::LeftOut, Group::Strict];

impl Group {
    /// The name behind `-W`.
    pub fn name(self) -> &'static str {
        match self {
            Group::Aspects => "sycl-aspects",
            Group::External => "sycl-external",
            Group::FixedTargets => "sycl-fixed-targets",
            Group::LeftOut => "sycl-left-out",
            Group::Strict => "sycl-strict",
        }
    }
}

/// What becomes of a warning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Not printed.
    Ignored,
    /// Printed.
    Warning,
    /// Printed, and the run fails.
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct State {
    disabled: bool,
    error: Option<bool>,
}

/// All flags, the last of each kind wins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WarningControl {
    none: bool,
    all_errors: bool,
    groups: [State; GROUPS.len()],
    /// Flags of a group of SYCL's that there is not.
    unknown: Vec<String>,
}

impl WarningControl {
    /// Takes note of a flag; returns whether it is ours alone (clang must not see it).
    pub(super) fn read(&mut self, word: &str) -> bool {
        match word {
            "-w" => self.none = true,
            "-Werror" => self.all_errors = true,
            "-Wno-error" => self.all_errors = false,
            _ => {}
        }
        let Some(flag) = word.strip_prefix("-W") else { return false };
        if let "everything" | "no-everything" = flag {
            self.groups.iter_mut().for_each(|state| state.disabled = flag != "everything");
            return false; // clang's too
        }
        let mut ours = false;
        for (group, state) in GROUPS.iter().zip(&mut self.groups) {
            let Some(prefix) = flag.strip_suffix(group.name()) else { continue };
            ours = true;
            match prefix {
                "" => state.disabled = false,
                "no-" => state.disabled = true,
                "error=" => *state = State { disabled: false, error: Some(true) },
                "no-error=" => state.error = Some(false),
                _ => ours = false,
            }
        }
        if !ours && group_of(flag).starts_with("sycl-") {
            self.unknown.push(word.to_owned());
            return true; // clang has none of that name, and would suggest something else
        }
        ours
    }

    /// What is said of groups that there are not, in clang's words.
    pub(super) fn unknown(&self) -> impl Iterator<Item = String> + '_ {
        self.unknown.iter().map(|word| {
            let group = word.strip_prefix("-W").map_or("", group_of);
            let near = aspen_devices::nearest(group, GROUPS.map(Group::name));
            let hint = near.map_or_else(String::new, |near| format!("; did you mean '{}'?", word.replace(group, near)));
            format!("unknown warning option '{word}'{hint} [-Wunknown-warning-option]")
        })
    }

    /// `-w`.
    pub fn is_silent(&self) -> bool {
        self.none
    }

    /// What becomes of a warning that is an error by default. As with clang's, `-w` and `-Wno-error` do not reach it, what names the group
    /// does.
    pub fn severity_of_error(&self, group: Group) -> Severity {
        match self.groups[group as usize] {
            State { disabled: true, .. } => Severity::Ignored,
            State { error: Some(false), .. } => self.severity(group),
            _ => Severity::Error,
        }
    }

    /// What becomes of a warning of the group at a place of which a pragma says something. As with clang's, what it makes an error is one
    /// whatever the flags say, and what it makes a warning is an error for `-Werror` only.
    pub fn severity_at(&self, group: Group, pragma: Option<Level>) -> Severity {
        match pragma {
            None => self.severity(group),
            Some(Level::Error) => Severity::Error,
            Some(Level::Warning) if self.none => Severity::Ignored,
            Some(Level::Warning) if self.groups[group as usize].error.unwrap_or(self.all_errors) => Severity::Error,
            Some(Level::Warning) => Severity::Warning,
        }
    }

    /// What becomes of a warning of the group.
    pub fn severity(&self, group: Group) -> Severity {
        let state = self.groups[group as usize];
        if self.none || state.disabled {
            Severity::Ignored
        } else if state.error.unwrap_or(self.all_errors) {
            Severity::Error
        } else {
            Severity::Warning
        }
    }
}

/// The group that a flag behind `-W` is about.
fn group_of(flag: &str) -> &str {
    ["no-error=", "error=", "no-"].iter().find_map(|prefix| flag.strip_prefix(prefix)).unwrap_or(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_their_order() {
        for (flags, severity) in [
            ("", Severity::Warning),
            ("-Wall -Wextra", Severity::Warning),
            ("-w", Severity::Ignored),
            ("-Wno-sycl-aspects", Severity::Ignored),
            ("-Wno-everything", Severity::Ignored),
            ("-Wno-everything -Wsycl-aspects", Severity::Warning),
            ("-Wno-sycl-aspects -Weverything", Severity::Warning),
            ("-Wno-everything -Werror", Severity::Ignored),
            ("-Wno-sycl-aspects -Wsycl-aspects", Severity::Warning),
            ("-Werror", Severity::Error),
            ("-Werror -Wno-error", Severity::Warning),
            ("-Werror=sycl-aspects", Severity::Error),
            ("-Wno-sycl-aspects -Werror=sycl-aspects", Severity::Error),
            ("-Werror -Wno-error=sycl-aspects", Severity::Warning),
            ("-Wno-error=sycl-aspects -Werror", Severity::Warning),
            ("-Werror -w", Severity::Ignored),
            ("-Werror=sycl-external", Severity::Warning),
            ("-Werror=unused", Severity::Warning),
        ] {
            let mut control = WarningControl::default();
            flags.split_whitespace().for_each(|flag| {
                control.read(flag);
            });
            assert_eq!(control.severity(Group::Aspects), severity, "{flags}");
        }
    }

    #[test]
    fn errors_by_default() {
        for (flags, severity) in [
            ("", Severity::Error),
            ("-w", Severity::Error),
            ("-Wno-error", Severity::Error),
            ("-Wsycl-strict", Severity::Error),
            ("-Wno-sycl-strict", Severity::Ignored),
            ("-Wno-everything", Severity::Ignored),
            ("-Wno-sycl-strict -Wsycl-strict", Severity::Error),
            ("-Wno-error=sycl-strict", Severity::Warning),
            ("-Wno-error=sycl-strict -w", Severity::Ignored),
            ("-Wno-error=sycl-strict -Werror", Severity::Warning),
            ("-Wno-error=sycl-strict -Werror=sycl-strict", Severity::Error),
            ("-Wno-error=sycl-aspects", Severity::Error),
        ] {
            let mut control = WarningControl::default();
            flags.split_whitespace().for_each(|flag| {
                control.read(flag);
            });
            assert_eq!(control.severity_of_error(Group::Strict), severity, "{flags}");
        }
    }

    #[test]
    fn clang_keeps_its_own_flags() {
        for (flag, ours) in [
            ("-Wsycl-aspects", true),
            ("-Wno-error=sycl-external", true),
            ("-Werror", false),
            ("-w", false),
            ("-Wno-everything", false),
            ("-Wxsycl-aspects", false),
        ] {
            assert_eq!(WarningControl::default().read(flag), ours, "{flag}");
        }
    }
}
