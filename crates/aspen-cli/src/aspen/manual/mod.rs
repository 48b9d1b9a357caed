//! Manual pages, and completions for shells, made of what the programs themselves say of their options: `aspen`'s parser, the table of
//! `aspen++ --help`, and that of environment variables.
//!
//! Source: man-pages(7), for sections and their order.

mod variables;

use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};

use aspen_cache::program;
use aspen_driver::help;
use variables::VARIABLES;

use crate::{Answer, Arguments, Failure};

/// An environment variable.
struct Variable {
    name: &'static str,
    values: &'static str,
    /// What counts if it is not set.
    unset: &'static str,
    /// Who reads it; nobody is named for variables that are not Aspen's.
    readers: &'static [&'static str],
    about: &'static str,
}

const PROGRAM: &str = "aspen";
const COMPILER: &str = "aspen++";
const STORES: &str = "aspen-cache-remote";
const SOURCE: &str = concat!("Aspen ", env!("CARGO_PKG_VERSION"));
const MANUAL: &str = "Aspen";
/// What every page of `aspen` ends with. Source: DESIGN §2.
const EXIT_CODES: [(&str, &str); 3] =
    [("0", "success"), ("1", "findings, or an input that cannot be read"), ("2", "wrong usage: options and names that are not known")];

/// `aspen completions SHELL [--program aspen++]`.
///
/// # Errors
/// If a shell has no such completions.
pub fn completions(shell: Shell, program: &str) -> Result<Answer, Failure> {
    if program == COMPILER {
        let script = match shell {
            Shell::Bash => include_str!("completions/bash.sh"),
            Shell::Zsh => include_str!("completions/zsh.sh"),
            Shell::Fish => include_str!("completions/fish.fish"),
            _ => return Err(Failure::Usage(format!("there are no completions of {COMPILER} for {shell}; bash, zsh and fish have them"))),
        };
        return Ok(Answer::clean(script.to_owned()));
    }
    // Commands that help does not list are not offered either.
    let all = Arguments::command();
    let listed = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let mut offered = Command::new(PROGRAM).version(env!("CARGO_PKG_VERSION")).args(all.get_arguments().cloned()).subcommands(listed);
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut offered, PROGRAM, &mut text);
    Ok(Answer::clean(String::from_utf8_lossy(&text).into_owned()))
}

/// `aspen manual DIR --date DAY`: writes `DIR/man1/*.1` and `DIR/man7/aspen.7`.
///
/// # Errors
/// If a file cannot be written.
pub fn write(folder: &Path, date: &str) -> Result<Answer, Failure> {
    let mut pages = vec![
        ("man1/aspen++.1".to_owned(), compiler(date)),
        ("man7/aspen.7".to_owned(), overview(date)),
        (format!("man1/{STORES}.1"), stores(date)),
    ];
    let mut root = Arguments::command().disable_help_subcommand(true);
    root.build();
    commands(&root, date, &mut pages)?;
    // The other names of two subcommands.
    for (name, subcommand) in [("sycl-post-link", "post-link"), ("sycl-aspect-filter", "aspect-filter")] {
        let of = format!("man1/{PROGRAM}-{subcommand}.1");
        let text = pages.iter().find(|(page, _)| *page == of).map(|(_, text)| text.clone());
        pages.extend(text.map(|text| (format!("man1/{name}.1"), text)));
    }
    for (name, text) in &pages {
        let file = folder.join(name);
        let made = file.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&file, text));
        made.map_err(|error| Failure::Input(format!("cannot write '{}': {error}", file.display())))?;
    }
    Ok(Answer::clean(String::new()))
}

/// The page of a command and those of its subcommands.
fn commands(command: &Command, date: &str, pages: &mut Vec<(String, String)>) -> Result<(), Failure> {
    let inner: Vec<&Command> = command.get_subcommands().filter(|command| !command.is_hide_set()).collect();
    for command in &inner {
        commands(command, date, pages)?;
    }
    let page = Man::new(command.clone()).date(date).source(SOURCE).manual(MANUAL);
    let mut text = Vec::new();
    let failed = |error: std::io::Error| Failure::Input(format!("a manual page cannot be made: {error}"));
    page.render(&mut text).map_err(failed)?;
    let mut end = Roff::new();
    if command.get_name() == "post-link" {
        end.control("SH", ["DPC++'S OPTIONS"]).control("nf", []);
        for line in aspen_postlink::arguments::HELP.lines() {
            end.text([roman(line)]);
        }
        end.control("fi", []);
    }
    end.control("SH", ["EXIT STATUS"]);
    EXIT_CODES.iter().for_each(|(code, text)| tagged(&mut end, vec![bold(*code)], text));
    if command.get_name() == PROGRAM {
        variables(&mut end, |variable| variable.readers.contains(&PROGRAM));
    }
    end.control("SH", ["SEE ALSO"]);
    let others = if command.get_name() == PROGRAM { "aspen++" } else { PROGRAM };
    end.text([bold(others), roman("(1), "), bold(PROGRAM), roman("(7)")]);
    end.to_writer(&mut text).map_err(failed)?;
    // A blank line is one only if nothing breaks lines around it.
    let text = String::from_utf8_lossy(&text).replace("\n.br\n\n.br\n", "\n.sp\n");
    pages.push((format!("man1/{}", page.get_filename()), text));
    Ok(())
}

/// The page of `aspen++`.
fn compiler(date: &str) -> String {
    let mut out = Roff::new();
    let (name, about) = help::ABOUT.split_once(": ").unwrap_or(("aspen++", help::ABOUT));
    head(&mut out, ["aspen++", "1", date], about);
    out.control("SH", ["SYNOPSIS"]).text([bold(name), roman(help::USAGE.strip_prefix(name).unwrap_or_default())]);
    out.control("SH", ["DESCRIPTION"]).text([roman(help::INTRODUCTION.replace('\n', " "))]);
    out.control("SH", ["OPTIONS"]);
    for section in help::SECTIONS {
        out.control("SS", [section.title]);
        for (option, text) in section.options {
            tagged(&mut out, vec![bold(*option)], &text.replace('\n', " "));
        }
    }
    out.control("SH", ["EXIT STATUS"]).text([roman("0, or 1 for any error, as clang++ has it.")]);
    variables(&mut out, |variable| variable.readers.is_empty() || variable.readers.contains(&"aspen++"));
    out.control("SH", ["SEE ALSO"]).text([bold(PROGRAM), roman("(1), "), bold(PROGRAM), roman("(7), "), bold("clang-22"), roman("(1)")]);
    out.to_roff()
}

/// The page of `aspen-cache-remote`.
fn stores(date: &str) -> String {
    let mut out = Roff::new();
    head(&mut out, [STORES, "1", date], program::ABOUT);
    out.control("SH", ["SYNOPSIS"]).text([bold(STORES), roman(" --try")]);
    out.control("SH", ["DESCRIPTION"]).text([
        roman("Caches that machines share lie in the store that "),
        bold("ASPEN_CACHE_REMOTE"),
        roman(" names. What goes there is sealed and checked by whoever starts this program, which only carries it. The store is one of"),
    ]);
    program::STORES.iter().for_each(|(store, text)| tagged(&mut out, vec![bold(*store)], text));
    out.control("SH", ["OPTIONS"]);
    program::OPTIONS.iter().for_each(|(option, text)| tagged(&mut out, vec![bold(*option)], text));
    out.control("SH", ["EXIT STATUS"]);
    for (code, text) in [("0", "success"), ("1", "the store cannot be reached, or does not keep what it is given"), EXIT_CODES[2]] {
        tagged(&mut out, vec![bold(code)], text);
    }
    variables(&mut out, |variable| variable.name.starts_with("ASPEN_CACHE_"));
    out.control("SH", ["SEE ALSO"]).text([
        bold("aspen++"),
        roman("(1), "),
        bold("aspen-cache"),
        roman("(1), "),
        bold(PROGRAM),
        roman("(7)"),
    ]);
    out.to_roff()
}

/// The page of the whole, with every variable.
fn overview(date: &str) -> String {
    let mut out = Roff::new();
    head(&mut out, [PROGRAM, "7", date], "SYCL 2020 programs that say what they need, and the variables they mind");
    out.control("SH", ["DESCRIPTION"]).text([
        bold("aspen++"),
        roman("(1) compiles SYCL programs with clang 22 and splits their device code by what it needs of a device; "),
        bold("aspen"),
        roman("(1) looks into programs. Programs find "),
        bold("libaspen.so.0"),
        roman(" in the folder that they were linked with, else where the loader always looks."),
    ]);
    variables(&mut out, |_| true);
    out.control("SH", ["FILES"]);
    tagged(
        &mut out,
        vec![italic("~/.cache/aspen")],
        "What can be made again; ASPEN_CACHE_DIR and XDG_CACHE_HOME move it. aspen-cache(1) looks into it.",
    );
    out.control("SH", ["SEE ALSO"]).text([bold("aspen++"), roman("(1), "), bold(PROGRAM), roman("(1)")]);
    out.to_roff()
}

fn head(out: &mut Roff, [name, section, date]: [&str; 3], about: &str) {
    out.control("TH", [name, section, date, SOURCE, MANUAL]);
    out.control("SH", ["NAME"]).text([roman(format!("{name} - {about}"))]);
}

/// The section of variables: those that are wanted.
fn variables(out: &mut Roff, wanted: impl Fn(&Variable) -> bool) {
    out.control("SH", ["ENVIRONMENT"]);
    for variable in VARIABLES.iter().filter(|variable| wanted(variable)) {
        let mut text = variable.about.to_owned();
        if !variable.readers.is_empty() {
            text += &format!(" Unset: {}. Read by {}.", variable.unset, variable.readers.join(", "));
        }
        let mut name = vec![bold(variable.name)];
        if !variable.values.is_empty() {
            name.extend([roman(" = "), italic(variable.values)]);
        }
        tagged(out, name, &text);
    }
}

/// A paragraph with its own head.
fn tagged(out: &mut Roff, head: Vec<Inline>, text: &str) {
    out.control("TP", []).text(head).text([roman(text)]);
}
