//! Completions and manual pages: every shell takes its own, and every program and subcommand has its page.

use std::process::Command;

use crate::common::Session;

/// Runs a tool over a file, where it is installed; says whether it was.
fn accepts(session: &Session, tool: &str, line: &str) -> bool {
    let known = Command::new("sh").args(["-c", &format!("command -v {tool}")]).output().is_ok_and(|said| said.status.success());
    if known {
        let said = session.run(line);
        assert!(said.code == Some(0) && said.stderr.is_empty() && said.stdout.is_empty(), "{line}: {}{}", said.stdout, said.stderr);
    }
    known
}

#[test]
fn shells_take_their_completions() {
    let session = Session::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = session.ok(&format!("aspen completions {shell} | tee {shell}.txt")).stdout;
        for word in ["inspect", "post-link", "--device-config-file"] {
            assert!(text.contains(word.trim_start_matches('-')), "{shell}: no {word}");
        }
        assert!(!text.contains("manual"), "{shell}: hidden commands are not offered");
    }
    assert!(accepts(&session, "bash", "bash -n bash.txt"), "bash is everywhere");
    for shell in ["zsh", "fish"] {
        accepts(&session, shell, &format!("{shell} -n {shell}.txt"));
    }
    // What bash offers, as a user gets it.
    let offered =
        session.ok("bash -c 'source bash.txt; COMP_WORDS=(aspen ins); COMP_CWORD=1; _aspen aspen ins aspen; echo ${COMPREPLY[@]}'");
    assert_eq!(offered.stdout, "inspect\n");
}

#[test]
fn shells_complete_the_compilers_options() {
    let session = Session::new(&[]);
    session.ok("aspen completions bash --program aspen++ > bash.txt; aspen completions zsh --program aspen++ > zsh.txt");
    session.ok("aspen completions fish --program aspen++ > fish.txt");
    assert!(accepts(&session, "bash", "bash -n bash.txt"), "bash is everywhere");
    for shell in ["zsh", "fish"] {
        accepts(&session, shell, &format!("{shell} -n {shell}.txt"));
    }
    // As bash calls it: the line, the word at the cursor, and the word that it breaks there.
    let check = |line: &str, word: &str, expected: &str| {
        let script = format!(
            "source bash.txt; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; _aspen_compiler aspen++ '{word}'; echo ${{COMPREPLY[@]}}"
        );
        let offered = session.ok(&format!("bash -c \"{}\"", script.replace('$', "\\$")));
        assert!(offered.stdout.split_whitespace().any(|one| one == expected), "{line}: {}", offered.stdout);
    };
    check("aspen++ -fsycl-tar", "-fsycl-tar", "-fsycl-targets=");
    check("aspen++ -c a.cpp -fsycl-targets=spir64,native_c", "spir64,native_c", "spir64,native_cpu");
    check("aspen++ -std=c++2", "c++2", "c++20");
    let said = session.run("aspen completions elvish --program aspen++");
    assert_eq!((said.code, said.stderr.contains("bash, zsh and fish have them")), (Some(2), true), "{}", said.stderr);
}

#[test]
fn an_unknown_shell_is_wrong_usage() {
    let session = Session::new(&[]);
    let said = session.run("aspen completions tcsh");
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("'tcsh'") && said.stderr.contains("[possible values: bash, elvish, fish, powershell, zsh]"),
        "{}",
        said.stderr
    );
}

#[test]
fn every_program_and_subcommand_has_a_page() {
    let session = Session::new(&[]);
    session.ok("aspen manual man --date 2026-01-31");
    let help = session.ok("aspen --help").stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    let mut pages: Vec<String> = names.map(|name| format!("aspen-{name}")).collect();
    assert!(pages.len() > 15, "{help}");
    pages
        .extend(["aspen++", "aspen", "aspen-cache-remote", "aspen-cache-stat", "sycl-post-link", "aspen-targets-check"].map(str::to_owned));
    for page in &pages {
        let text = session.read(&format!("man/man1/{page}.1"));
        let text = String::from_utf8(text).expect("UTF-8");
        for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
            assert!(
                text.contains(&format!(".SH {section}\n")) || text.contains(&format!(".SH \"{section}\"\n")),
                "{page}: no {section}\n{text}"
            );
        }
    }
    let words = |page: &str| String::from_utf8(session.read(page)).expect("UTF-8").replace("\\-", "-");
    let compiler = words("man/man1/aspen++.1");
    for option in session.ok("aspen++ --help").stdout.lines().filter_map(|line| line.strip_prefix("  -")?.split([' ', ',']).next()) {
        assert!(compiler.contains(option), "aspen++.1 lacks -{option}");
    }
    for page in ["man/man1/aspen++.1", "man/man7/aspen.7"] {
        assert!(words(page).contains("ASPEN_DEVICE_CONFIG_FILE"), "{page} names the variables");
    }
    // Readers of manual pages find nothing to complain about.
    for file in pages.iter().map(|page| format!("man/man1/{page}.1")).chain(["man/man7/aspen.7".to_owned()]) {
        accepts(&session, "mandoc", &format!("mandoc -Tlint -Wwarning {file}"));
        accepts(&session, "groff", &format!("groff -man -Tutf8 -ww -z {file}"));
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let session = Session::new(&[("man", "a file")]);
    let said = session.run("aspen manual man --date 2026-01-31");
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.starts_with("aspen: error: cannot write 'man/man1/"), "{}", said.stderr);
}
