//! Requests from the socket, answers to it: a thread that reads, one that writes, and between them OpenDAL on one thread.

use std::io::{self, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc as answers;
use std::thread;
use std::time::Duration;

use aspen_cache::protocol::{Frame, Kind, MAX_BYTES, VERSION};
use opendal::{ErrorKind, Operator};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::store;

/// Requests that are under way at a time.
const AT_ONCE: usize = 32;
/// Longer than anybody waits for an entry.
const GET_LIMIT: Duration = Duration::from_secs(2);
/// A large entry on a slow line.
const PUT_LIMIT: Duration = Duration::from_secs(30);
/// Bytes that wait to be kept; more than that comes faster than the store takes it.
const MOST_WAITING: usize = 2 * MAX_BYTES;

/// Serves one process until it closes the socket, and then finishes in that time what was given to be kept.
///
/// # Errors
/// If there is no socket.
pub fn serve(url: &str, socket: &dyn Fn() -> io::Result<UnixStream>, linger: Duration) -> io::Result<()> {
    let (reader, mut writer) = (socket()?, socket()?);
    let runtime = runtime()?;
    let operator = match runtime.block_on(store::open(url)) {
        Ok(operator) => operator,
        Err(why) => return writer.write_all(&Frame::answer(Kind::Refused, 0, why.into_bytes()).to_bytes()?),
    };
    let (answer, written) = answers::channel::<Frame>();
    let waiting = Arc::new(AtomicUsize::new(0));
    // The reader is not waited for: it ends with the process, or with the socket.
    let (request, mut requests) = mpsc::unbounded_channel();
    let (refuse, count) = (answer.clone(), waiting.clone());
    thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        while let Ok(Some(frame)) = Frame::read(&mut reader) {
            if frame.kind == Kind::Put && count.fetch_add(frame.bytes.len(), Ordering::Relaxed) > MOST_WAITING {
                count.fetch_sub(frame.bytes.len(), Ordering::Relaxed);
                let _ = refuse.send(Frame::answer(Kind::Failed, frame.number, b"it takes entries slower than they are made".to_vec()));
                continue;
            }
            if request.send(frame).is_err() {
                break;
            }
        }
    });
    let _ = answer.send(Frame::answer(Kind::Ready, VERSION, Vec::new()));
    let writes = thread::spawn(move || {
        for frame in written {
            // Nobody hears it any more; what is to be kept is kept all the same.
            if frame.to_bytes().and_then(|bytes| writer.write_all(&bytes)).is_err() {
                break;
            }
        }
    });
    runtime.block_on(async {
        let (slots, mut tasks) = (Arc::new(Semaphore::new(AT_ONCE)), JoinSet::new());
        while let Some(frame) = requests.recv().await {
            let (operator, slots, answer, waiting) = (operator.clone(), slots.clone(), answer.clone(), waiting.clone());
            tasks.spawn(async move {
                let _slot = slots.acquire_owned().await;
                let length = if frame.kind == Kind::Put { frame.bytes.len() } else { 0 };
                let done = answered(&operator, frame).await;
                waiting.fetch_sub(length, Ordering::Relaxed);
                let _ = answer.send(done);
            });
            while tasks.try_join_next().is_some() {}
        }
        let _ = tokio::time::timeout(linger, async { while tasks.join_next().await.is_some() {} }).await;
        tasks.abort_all();
    });
    drop(answer);
    runtime.shutdown_background();
    drop(writes);
    Ok(())
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    // Without it TLS has no ciphers; a second call is told that there are some.
    let _ = rustls::crypto::ring::default_provider().install_default();
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

async fn answered(operator: &Operator, frame: Frame) -> Frame {
    let number = frame.number;
    let failed = |why: String| Frame::answer(Kind::Failed, number, why.into_bytes());
    let late = |limit: Duration| failed(format!("no answer within {} seconds", limit.as_secs()));
    match frame.kind {
        Kind::Get => match tokio::time::timeout(GET_LIMIT, operator.read(&frame.name)).await {
            Ok(Ok(found)) if found.len() > MAX_BYTES => Frame::answer(Kind::Absent, number, Vec::new()),
            Ok(Ok(found)) => Frame::answer(Kind::Found, number, found.to_vec()),
            Ok(Err(error)) if error.kind() == ErrorKind::NotFound => Frame::answer(Kind::Absent, number, Vec::new()),
            Ok(Err(error)) => failed(store::short(&error)),
            Err(_) => late(GET_LIMIT),
        },
        Kind::Put => match tokio::time::timeout(PUT_LIMIT, operator.write(&frame.name, frame.bytes)).await {
            Ok(Ok(_)) => Frame::answer(Kind::Kept, number, Vec::new()),
            Ok(Err(error)) => failed(store::short(&error)),
            Err(_) => late(PUT_LIMIT),
        },
        _ => failed("this is no request".into()),
    }
}

/// Keeps, reads and removes an entry; says so.
///
/// # Errors
/// What went wrong.
pub fn tried(url: &str) -> Result<String, String> {
    let runtime = runtime().map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let operator = store::open(url).await?;
        let (name, content) = (format!("try/{}", std::process::id()), b"aspen-cache-remote --try".to_vec());
        let step = |what: &'static str| move |error: opendal::Error| format!("an entry cannot be {what}: {}", store::short(&error));
        let work = async {
            operator.write(&name, content.clone()).await.map_err(step("kept"))?;
            let found = operator.read(&name).await.map_err(step("read"))?;
            operator.delete(&name).await.map_err(step("removed"))?;
            if found.to_vec() == content { Ok(()) } else { Err("an entry comes back as another".to_owned()) }
        };
        let done = tokio::time::timeout(PUT_LIMIT, work).await;
        done.map_err(|_| format!("no answer within {} seconds", PUT_LIMIT.as_secs()))??;
        Ok("an entry was kept, read and removed".to_owned())
    })
}
