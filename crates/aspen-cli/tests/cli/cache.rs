//! `aspen cache`: counts and removes what Aspen keeps, and nothing else.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::prefix;

fn cache(folder: &Path, words: &[&str]) -> (i32, String) {
    let mut command = Command::new(prefix().join("bin/aspen"));
    let output = command.arg("cache").args(words).env("ASPEN_CACHE_DIR", folder).output().expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().expect("an exit code"), String::from_utf8(text).expect("UTF-8"))
}

#[test]
fn stat_and_clear() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = folder.path();
    let shown = at.display();
    let none = "jit: 0 entries, 0 bytes (programs compiled when they were launched)";
    assert_eq!(
        cache(at, &["stat"]),
        (
            0,
            format!(
                "{shown}\n  {none}\n  ahead-of-time: 0 entries, 0 bytes (images compiled ahead of time)\n  headers: 0 entries, 0 bytes (SYCL's header, precompiled)\n"
            )
        )
    );
    for (file, bytes) in [
        (format!("jit/{}", "0a".repeat(32)), 1000),
        (format!("jit/{}", "0b".repeat(32)), 2000),
        ("jit/12.3.unfinished".into(), 5),
        (format!("ahead-of-time/{}", "ff".repeat(32)), 3_000_000),
        (format!("headers/{}", "0c".repeat(32)), 500),
        (format!("headers/{}.inputs", "0c".repeat(32)), 3),
        ("jit/mine.txt".into(), 7),
        ("drivers/other".into(), 7),
    ] {
        let file = at.join(file);
        fs::create_dir_all(file.parent().expect("in a folder")).expect("a folder");
        fs::write(file, vec![0; bytes]).expect("writable");
    }
    let (code, text) = cache(at, &["stat", "--format", "json"]);
    let stat: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let part = |name: &str, entries: u32, bytes: u32| serde_json::json!({ "name": name, "entries": entries, "bytes": bytes });
    assert_eq!(
        (code, &stat["parts"]),
        (0, &serde_json::json!([part("jit", 2, 3000), part("ahead-of-time", 1, 3_000_000), part("headers", 1, 500)]))
    );
    assert_eq!(cache(at, &["clear"]), (0, format!("{shown}: removed 4 entries, 2.9 MiB\n")));
    assert_eq!(cache(at, &["clear"]), (0, format!("{shown}: removed 0 entries, 0 bytes\n")));
    let left: Vec<_> = fs::read_dir(at.join("jit")).expect("there").map(|entry| entry.expect("readable").file_name()).collect();
    assert_eq!(left, ["mine.txt"]);
    assert_eq!(fs::read_dir(at.join("headers")).expect("there").count(), 0);
    assert!(at.join("drivers/other").exists());
}

#[test]
fn wrong_usage_and_folders() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(cache(folder.path(), &["empty"]).0, 2);
    let file = folder.path().join("file");
    fs::write(&file, "x").expect("writable");
    let (code, text) = cache(&file, &["stat"]);
    assert!(code == 1 && text.contains("cannot read") && text.contains("file/jit"), "{text}");
}
