//! A finding as text, for passes without a report. Source: DESIGN §4, the warning.

use aspen_analysis::Finding;

use crate::settings::Severity;

/// S0's words, with places.
pub fn render(finding: &Finding, severity: Severity) -> String {
    let place = finding.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
    let (word, flag) = match severity {
        Severity::Error => ("error", "-Werror,-Wsycl-aspects"),
        Severity::Warning | Severity::Ignored => ("warning", "-Wsycl-aspects"),
    };
    let mut out = format!(
        "{place}{word}: function '{}' uses aspect '{}' not listed in '{}' [{flag}]\nuse is from this call chain:\n",
        finding.function, finding.aspect, finding.spelling
    );
    for step in &finding.chain {
        out += &format!("  {}()", step.function);
        if let Some(place) = &step.place {
            out += &format!(" {place}");
        }
        out.push('\n');
    }
    if finding.place.is_none() {
        out += "compile with '-g' to get source location\n";
    }
    if let Some(place) = &finding.declared_at {
        out += &format!("{place}: note: aspects of '{}' are declared here\n", finding.function);
    }
    out
}
