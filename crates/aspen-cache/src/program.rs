//! What `aspen-cache-remote`, the program behind [`Remote`](crate::Remote), says of itself: its help, and what its manual page is made of.

/// What it is.
pub const ABOUT: &str = "the way to the store that ASPEN_CACHE_REMOTE names; aspen++ and programs start it by themselves";

/// Its options, and what they do.
pub const OPTIONS: [(&str, &str); 3] = [
    ("--try", "keeps, reads and removes an entry there, and says what went wrong"),
    ("--serve, --stay", "speaks with the program that started it, over standard input"),
    ("--help, --version", "tells about it"),
];

/// What the variable may be, and what is to be known of it.
pub const STORES: [(&str, &str); 4] = [
    ("file:///FOLDER", "a folder, which may be of a network's file system"),
    ("redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]", "Redis; rediss:// over TLS"),
    ("s3://BUCKET[/PREFIX][?endpoint=URL&region=REGION]", "S3, with credentials from where AWS's tools have them"),
    ("webdav://[USER:PASSWORD@]HOST[:PORT][/PATH]", "WebDAV; webdavs:// over TLS"),
];

/// What `--help` prints.
#[must_use]
pub fn help() -> String {
    let rows = |rows: &[(&str, &str)]| rows.iter().map(|(name, text)| format!("  {name:<50} {text}\n")).collect::<String>();
    format!("aspen-cache-remote: {ABOUT}\n\n{}\nASPEN_CACHE_REMOTE is one of\n{}", rows(&OPTIONS), rows(&STORES))
}
