//! From a URL to OpenDAL's operator.

use std::sync::LazyLock;
use std::time::Duration;

use opendal::Operator;
use opendal::services::{Fs, Redis, S3, Webdav};
use percent_encoding::percent_decode_str;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use url::Url;

/// How long a server may take to answer a call at its door: so much less than a process waits for the store that there is time to start this
/// program, and to say which server does not answer.
const KNOCK: Duration = Duration::from_millis(1000);

const KNOWN: &str = "file:///FOLDER, redis://HOST, s3://BUCKET/PREFIX or webdav://HOST/PATH";
const REDIS_PORT: u16 = 6379;
/// What S3 wants to be told even by servers that have none. Source: Amazon S3 API, "Authenticating Requests": the scope of a signature.
const ANY_REGION: &str = "us-east-1";
/// Where files are until they are whole: entries appear by rename.
const UNFINISHED: &str = ".unfinished";

/// The store of that URL.
///
/// # Errors
/// What is wrong with the URL, with what it should be; or that nobody answers there.
pub async fn open(url: &str) -> Result<Operator, String> {
    let parsed = Url::parse(url).map_err(|error| format!("it is no URL ({error}); write {KNOWN}"))?;
    let operator = match parsed.scheme() {
        "file" => file(&parsed)?,
        "redis" | "rediss" => redis(&parsed).await?,
        "s3" => s3(&parsed)?,
        "webdav" | "webdavs" => webdav(&parsed)?,
        other => return Err(format!("'{other}' is no store that is known; write {KNOWN}")),
    };
    Ok(operator)
}

fn built(builder: impl opendal::Builder) -> Result<Operator, String> {
    // OpenDAL makes a client for HTTP whatever the store, and ends the process where that cannot be. `reqwest` is of the version that it uses.
    static CLIENT: LazyLock<Result<(), String>> = LazyLock::new(|| {
        let why = |error: reqwest::Error| std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        reqwest::Client::builder().build().map(drop).map_err(why)
    });
    CLIENT.clone().map_err(|why| {
        format!(
            "OpenDAL wants TLS for every store: {why}; Debian's package ca-certificates brings certificates, SSL_CERT_FILE names others"
        )
    })?;
    Operator::new(builder).map(|operator| operator.finish()).map_err(|error| short(&error))
}

/// OpenDAL's errors without their context, which has paths and whole answers.
pub fn short(error: &opendal::Error) -> String {
    let mut out = error.message().trim().to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !out.contains(&text) {
            out = if out.is_empty() { text } else { format!("{out}: {text}") };
        }
        cause = inner.source();
    }
    // A line; servers answer with pages.
    let line = out.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > 300 { line.chars().take(300).chain(['…']).collect() } else { line }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn host(url: &Url) -> Result<&str, String> {
    url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| format!("it names no host; write {KNOWN}"))
}

/// Options behind a question mark would have no effect without a word.
fn no_options(url: &Url) -> Result<(), String> {
    url.query().map_or(Ok(()), |query| Err(format!("'?{query}': {}:// takes no options", url.scheme())))
}

fn file(url: &Url) -> Result<Operator, String> {
    no_options(url)?;
    let path = url.to_file_path().ok().filter(|path| path.parent().is_some());
    let path = path.ok_or("it names no folder of this machine; write file:///FOLDER with three slashes")?;
    let path = path.to_str().ok_or("the folder's name is no UTF-8")?;
    let folder = || Fs::default().root(path);
    // One that can only be read has no place for what is unfinished, and is read all the same.
    built(folder().atomic_write_dir(&format!("{path}/{UNFINISHED}"))).or_else(|_| built(folder()))
}

async fn redis(url: &Url) -> Result<Operator, String> {
    no_options(url)?;
    let (host, port) = (host(url)?, url.port().unwrap_or(REDIS_PORT));
    let database = url.path().trim_matches('/');
    let number = if database.is_empty() { Ok(0) } else { database.parse::<u32>() };
    let number = number.map_err(|_| format!("'{database}' is no number of a database: redis://HOST:PORT/NUMBER"))?;
    let (user, password) = (decoded(url.username()), decoded(url.password().unwrap_or_default()));
    // The client tries again and again behind what is used here, and would say neither that nobody is there nor that the password is wrong.
    let knock = knock(host.trim_matches(['[', ']']), port, (url.scheme() == "redis").then_some((&*user, &*password)));
    tokio::time::timeout(KNOCK, knock).await.map_err(|_| "nobody answers".to_owned())??;
    let builder = Redis::default().endpoint(&format!("{}://{host}:{port}", url.scheme())).root("/aspen").db(number.into());
    built(builder.username(&user).password(&password))
}

/// Connects and, where there is no TLS, asks whether the server is content with user and password. Source: Redis serialization protocol;
/// `AUTH`, `PING`.
async fn knock(host: &str, port: u16, login: Option<(&str, &str)>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("nobody answers: {error}");
    let mut stream = TcpStream::connect((host, port)).await.map_err(failed)?;
    let Some((user, password)) = login else { return Ok(()) };
    let words: &[&str] = match (user, password) {
        (_, "") => &["PING"],
        ("", password) => &["AUTH", password],
        (user, password) => &["AUTH", user, password],
    };
    let mut request = format!("*{}\r\n", words.len());
    for word in words {
        request += &format!("${}\r\n{word}\r\n", word.len());
    }
    stream.write_all(request.as_bytes()).await.map_err(failed)?;
    let mut answer = [0; 256];
    let length = stream.read(&mut answer).await.map_err(failed)?;
    let said = String::from_utf8_lossy(&answer[..length]).lines().next().unwrap_or_default().to_owned();
    match said.strip_prefix('-') {
        Some(error) => Err(format!("it says '{error}'")),
        None if said.starts_with('+') => Ok(()),
        None => Err("what answers there is no Redis".into()),
    }
}

fn s3(url: &Url) -> Result<Operator, String> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err("credentials do not stand in the URL but where AWS's tools have them (AWS_ACCESS_KEY_ID, ~/.aws)".into());
    }
    let bucket = url.host_str().filter(|bucket| !bucket.is_empty()).ok_or("it names no bucket: s3://BUCKET/PREFIX")?;
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut endpoint = set("AWS_ENDPOINT_URL_S3").or_else(|| set("AWS_ENDPOINT_URL"));
    let mut region = set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION"));
    for (name, value) in url.query_pairs() {
        match &*name {
            "endpoint" => endpoint = Some(value.into_owned()),
            "region" => region = Some(value.into_owned()),
            _ => return Err(format!("s3:// has no option '{name}'; there are endpoint and region")),
        }
    }
    let builder = S3::default().bucket(bucket).root(&decoded(url.path())).region(region.as_deref().unwrap_or(ANY_REGION));
    built(if let Some(endpoint) = endpoint { builder.endpoint(&endpoint) } else { builder })
}

fn webdav(url: &Url) -> Result<Operator, String> {
    no_options(url)?;
    let (host, scheme) = (host(url)?, if url.scheme() == "webdavs" { "https" } else { "http" });
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let builder = Webdav::default().endpoint(&format!("{scheme}://{host}{port}")).root(&decoded(url.path()));
    built(builder.username(&decoded(url.username())).password(&decoded(url.password().unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(url: &str) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(open(url)).err().unwrap_or_default()
    }

    #[test]
    fn urls() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        for (url, words) in [
            ("", "it is no URL"),
            ("/tmp/x", "it is no URL (relative URL without a base); write file:///FOLDER, "),
            ("ftp://host/x", "'ftp' is no store that is known"),
            ("file://host/x", "with three slashes"),
            ("file:///", "with three slashes"),
            ("file:///tmp/x?a=b", "'?a=b': file:// takes no options"),
            ("redis:///1", "it names no host"),
            ("redis://127.0.0.1:1/x", "'x' is no number of a database"),
            ("redis://127.0.0.1:1/", "nobody answers: Connection refused"),
            ("s3:///prefix", "it names no bucket"),
            ("s3://key:secret@bucket/", "credentials do not stand in the URL"),
            ("s3://bucket/?regoin=x", "s3:// has no option 'regoin'"),
            ("webdav:///x", "it names no host"),
            ("s3://bucket/prefix?endpoint=http://127.0.0.1:1&region=here", ""),
            ("webdav://user:pass@host:8080/a%20b", ""),
            ("webdavs://host", ""),
        ] {
            let why = refused(url);
            assert!(why.contains(words) && why.is_empty() == words.is_empty(), "{url}: {why}");
        }
    }
}
