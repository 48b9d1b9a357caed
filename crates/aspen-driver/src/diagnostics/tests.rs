//! The exact text of DESIGN §4, merging, severities, and the documents read back by an independent reader.

use aspen_analysis::Level;
use aspen_contract::Aspect;

use super::*;

fn place(file: &str, line: u32, column: u32) -> Place {
    Place { file: file.into(), line, column }
}

fn finding() -> Finding {
    let step = |function: &str, place| Step { function: function.into(), place, remark: None };
    Finding {
        function: "foo".into(),
        aspect: Aspect::FP64,
        spelling: "sycl::device_has".into(),
        place: Some(place("hw.cpp", 27, 4)),
        chain: vec![step("foo", None), step("bar", Some(place("hw.cpp", 15, 3))), step("boo", Some(place("hw.cpp", 25, 5)))],
        declared_at: Some(place("hw.cpp", 14, 3)),
        pragma: None,
    }
}

fn source(place: &Place) -> Option<String> {
    match place.line {
        14 => Some("[[sycl::device_has(sycl::aspect::fp16)]] void foo() {".into()),
        27 => Some("\tvolatile double d = f;".into()),
        _ => None,
    }
}

fn one(flags: &[&str]) -> Option<Diagnostic> {
    one_of(&finding(), flags)
}

fn one_of(finding: &Finding, flags: &[&str]) -> Option<Diagnostic> {
    let mut words: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    words.push("x.cpp".into());
    let Ok(crate::args::Invocation::Run(options)) = crate::args::parse(words) else { panic!("{flags:?} parse") };
    let mut diagnostics = Diagnostics::new(options.warnings);
    diagnostics.add_findings([finding, finding]);
    assert!(diagnostics.list.len() <= 1, "the same finding of two passes is one");
    diagnostics.list.pop()
}

#[test]
fn pragmas_go_before_flags() {
    for (pragma, flags, severity) in [
        (Level::Error, &[][..], Some(Severity::Error)),
        (Level::Error, &["-w"], Some(Severity::Error)),
        (Level::Error, &["-Wno-sycl-aspects", "-Wno-error=sycl-aspects"], Some(Severity::Error)),
        (Level::Warning, &["-Wno-sycl-aspects"], Some(Severity::Warning)),
        (Level::Warning, &["-Wno-everything"], Some(Severity::Warning)),
        (Level::Warning, &["-Werror"], Some(Severity::Error)),
        (Level::Warning, &["-w"], None),
    ] {
        let found = one_of(&Finding { pragma: Some(pragma), ..finding() }, flags);
        assert_eq!(found.map(|found| found.severity), severity, "{pragma:?} {flags:?}");
    }
}

#[test]
fn the_text_of_the_contract() {
    let diagnostic = one(&[]).expect("a warning");
    assert_eq!(
        text::render(&diagnostic, &Look::default(), false, &|_| None),
        "hw.cpp:27:4: warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]\n\
         use is from this call chain:\n  foo()\n  bar() hw.cpp:15:3\n  boo() hw.cpp:25:5\n\
         hw.cpp:14:3: note: aspects of 'foo' are declared here\n"
    );
}

#[test]
fn snippets_and_carets() {
    let diagnostic = one(&["-Werror=sycl-aspects"]).expect("an error");
    assert_eq!(
        text::render(&diagnostic, &Look::default(), false, &source),
        "hw.cpp:27:4: error: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has' [-Werror,-Wsycl-aspects]\n   \
         27 |         volatile double d = f;\n      |           ^\n\
         use is from this call chain:\n  foo()\n  bar() hw.cpp:15:3\n  boo() hw.cpp:25:5\n\
         hw.cpp:14:3: note: aspects of 'foo' are declared here\n   \
         14 | [[sycl::device_has(sycl::aspect::fp16)]] void foo() {\n      |   ^\n"
    );
}

#[test]
fn without_places() {
    let mut diagnostics = Diagnostics::default();
    let chain = vec![Step { function: "foo".into(), place: None, remark: None }];
    diagnostics.add_findings([&Finding { place: None, declared_at: None, chain, ..finding() }]);
    assert_eq!(
        diagnostics.render(&Look::default(), false, false),
        "warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has' [-Wsycl-aspects]\n\
         use is from this call chain:\n  foo()\ncompile with '-g' to get source location\n"
    );
    assert_eq!(diagnostics.render(&Look::default(), false, true), "", "nothing is printed twice");
}

#[test]
fn colours_only_on_request() {
    let diagnostic = one(&[]).expect("a warning");
    assert!(text::render(&diagnostic, &Look::default(), true, &source).contains("\x1b[0;1;35mwarning: \x1b[0m"));
    assert!(!text::render(&diagnostic, &Look::default(), false, &source).contains('\x1b'));
}

#[test]
fn silenced() {
    assert_eq!(one(&["-w"]), None);
    assert_eq!(one(&["-Wno-sycl-aspects"]), None);
}

#[test]
fn documents() {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add_findings([&finding()]);
    assert_eq!(
        diagnostics.render(&Look { format: Format::Json, ..Look::default() }, false, false),
        "",
        "a document is complete only at the end"
    );
    let json: serde_json::Value =
        serde_json::from_str(&diagnostics.render(&Look { format: Format::Json, ..Look::default() }, false, true)).expect("JSON");
    assert_eq!(json["diagnostics"][0]["chain"][2]["place"]["line"], 25);
    assert_eq!(json["diagnostics"][0]["group"], "sycl-aspects");
    let sarif: serde_json::Value =
        serde_json::from_str(&diagnostics.render(&Look { format: Format::Sarif, ..Look::default() }, false, true)).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"sycl-aspects".into(), &"warning".into()));
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startColumn"], 4);
    assert_eq!(result["relatedLocations"].as_array().map(Vec::len), Some(3), "two calls and the note");
}

#[test]
fn more_than_promised() {
    let mut diagnostics = Diagnostics::default();
    diagnostics.add_excess(&Excess {
        function: "elsewhere".into(),
        aspects: vec![Aspect::from_number(2)],
        declared_at: Some(place("a.cpp", 2, 3)),
        defined_at: Some(place("b.cpp", 2, 3)),
        chain: Vec::new(),
    });
    assert_eq!(
        diagnostics.render(&Look::default(), false, false),
        "b.cpp:2:3: warning: the definition of 'elsewhere' needs aspect 'gpu', which a declaration of it does not list [-Wsycl-aspects]\n\
         a.cpp:2:3: note: 'elsewhere' is declared here\n"
    );
}

/// Each fix can be taken by itself, and all that are offered can be taken together.
#[test]
fn an_empty_list_is_begun_once() {
    for (list, expected) in
        [("", vec![Some("sycl::aspect::fp64"), None]), ("x", vec![Some(", sycl::aspect::fp64"), Some(", sycl::aspect::fp16")])]
    {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        std::io::Write::write_all(&mut file, format!("[[sycl::device_has({list})]] void foo();\n").as_bytes()).expect("written");
        let name = file.path().to_str().expect("UTF-8");
        let mut diagnostics = Diagnostics::default();
        let findings = [Aspect::FP64, Aspect::FP16].map(|aspect| Finding { aspect, declared_at: Some(place(name, 1, 3)), ..finding() });
        diagnostics.add_findings(&findings);
        let texts: Vec<Option<&str>> = diagnostics.list.iter().map(|one| one.fix.as_ref().map(|fix| fix.text.as_str())).collect();
        assert_eq!(texts, expected);
    }
}

#[test]
fn words_of_clang_become_findings() {
    let said = "In file included from x.cpp:1:\n\
        a b.hpp:2:80: warning: unused: error: 'u' [-Wunused-variable]\n\
        x.cpp:3:1: note: here\n\
        x.cpp:4:2: error: bad [-Werror,-Wreturn-type]\n\
        clang++-22: warning: left out\n\
        /usr/bin/ld: x.o: in function `main':\n\
        2 warnings and 1 error generated.\n";
    let mut diagnostics = Diagnostics::default();
    assert_eq!(diagnostics.add_said(said), "/usr/bin/ld: x.o: in function `main':\n");
    let document: serde_json::Value =
        serde_json::from_str(&diagnostics.render(&Look { format: Format::Json, ..Look::default() }, false, true)).expect("JSON");
    let found = &document["diagnostics"];
    assert_eq!(found[0]["place"], serde_json::json!({ "file": "a b.hpp", "line": 2, "column": 80 }));
    assert_eq!((&found[0]["group"], &found[0]["message"]), (&"unused-variable".into(), &"unused: error: 'u'".into()));
    assert_eq!((&found[0]["note"]["message"], &found[0]["note"]["place"]["line"]), (&"here".into(), &3.into()));
    assert_eq!((&found[1]["severity"], &found[1]["group"]), (&"error".into(), &"return-type".into()));
    assert_eq!((&found[2]["message"], &found[2]["place"], &found[2]["group"]), (&"left out".into(), &().into(), &().into()));
    assert!(diagnostics.has_errors() && found[3].is_null());
}

/// Each option of how clang's own look, and what it makes of the first lines.
#[test]
fn options_of_how_they_look() {
    let message = "warning: function 'foo' uses aspect 'fp64' not listed in 'sycl::device_has'";
    let line =
        "\n   27 |         volatile double d = f;\n      |           ^\nuse is from this call chain:\n  foo()\n  bar() hw.cpp:15:3\n";
    for (flags, head, below) in [
        ("", "hw.cpp:27:4: ", line),
        ("-fno-show-column", "hw.cpp:27: ", &line.replace(":15:3", ":15")),
        ("-fno-show-column -fshow-column", "hw.cpp:27:4: ", line),
        ("-fno-show-source-location", "", &line.replace(" hw.cpp:15:3", "")),
        ("-fdiagnostics-format=msvc", "hw.cpp(27,4): ", &line.replace(":15:3", "(15,3)")),
        ("-fdiagnostics-format=vi -fno-show-column", "hw.cpp +27: ", &line.replace(":15:3", " +15")),
        ("-fno-caret-diagnostics", "hw.cpp:27:4: ", "\nuse is from this call chain:\n  foo()\n"),
        ("-fno-diagnostics-show-line-numbers", "hw.cpp:27:4: ", "\n        volatile double d = f;\n          ^\nuse is"),
        ("-fno-diagnostics-show-option", "hw.cpp:27:4: ", line),
        ("-fmessage-length=40", "hw.cpp:27:4: ", line),
    ] {
        let mut words: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
        words.push("x.cpp".into());
        let Ok(crate::args::Invocation::Run(options)) = crate::args::parse(words) else { panic!("{flags} parse") };
        let text = text::render(&one(&[]).expect("a warning"), &options.look, false, &source);
        let (text, flag) = if options.look.width > 0 {
            (text.replacen("\n      ", " ", 3), " [-Wsycl-aspects]")
        } else {
            (text, if options.look.group { " [-Wsycl-aspects]" } else { "" })
        };
        let expected = format!("{head}{message}{flag}{below}");
        assert!(text.starts_with(&expected), "{flags}:\n{text}expected:\n{expected}");
    }
}
