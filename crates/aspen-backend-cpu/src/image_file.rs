//! Where the loader finds an image: an anonymous file, opened through `/proc`, or a file of a folder that profilers can look into.
//!
//! The loader knows libraries by the path they were opened with, and gives the first library again for a path it has seen, also when the
//! file descriptor in it means another file by now (DESIGN §8). So each load spells its path differently: the bits of a counter are
//! written as `/` and `/./`, which lead to the same place. The descriptor can be closed at once, and there is no limit to the number of
//! images but that of memory mappings. Files of a folder are opened once each, since the loader knows libraries by their files, too.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::fs;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An image's file.
#[derive(Default)]
pub(crate) struct ImageFile {
    path: CString,
    /// What `path` leads to, as long as it does.
    _anonymous: Option<OwnedFd>,
    /// Given back when the file is closed.
    _kept: Option<KeptFile>,
}

impl ImageFile {
    /// A file in memory.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub(crate) fn anonymous(image: &[u8]) -> io::Result<ImageFile> {
        let file = anonymous_file(image)?;
        Ok(ImageFile { path: unused_path(file.as_raw_fd()), _anonymous: Some(file), _kept: None })
    }

    /// A file of the folder.
    ///
    /// # Errors
    /// If it cannot be written there, or read.
    pub(crate) fn kept(folder: &Path, name: &str, image: &[u8]) -> io::Result<ImageFile> {
        let kept = KeptFile::new(folder, name, image)?;
        Ok(ImageFile { path: CString::new(kept.0.as_os_str().as_bytes())?, _anonymous: None, _kept: Some(kept) })
    }

    /// What the loader is to open, once.
    pub(crate) fn path(&self) -> &CStr {
        &self.path
    }

    /// Debuggers and sanitizers read the file behind the library's path while the library is open, so what they can make use of stays.
    pub(crate) fn loaded(self, image: &[u8]) -> ImageFile {
        if has_debug_info(image) || is_sanitized() { self } else { ImageFile { _anonymous: None, ..self } }
    }
}

/// A file of a folder that nothing else of this process has opened.
pub(crate) struct KeptFile(PathBuf);

static OPENED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn opened() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Once the loader has closed it.
impl Drop for KeptFile {
    fn drop(&mut self) {
        let path = CString::new(self.0.as_os_str().as_bytes()).unwrap_or_default();
        // SAFETY: a NUL-terminated path; nothing is loaded.
        let left = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
        if left.is_null() {
            opened().remove(&self.0);
        } else {
            // SAFETY: from `dlopen`.
            unsafe { libc::dlclose(left) };
        }
    }
}

impl KeptFile {
    /// One with this content; it is made if there is none.
    fn new(folder: &Path, name: &str, image: &[u8]) -> io::Result<KeptFile> {
        fs::create_dir_all(folder)?;
        let folder = folder.canonicalize()?;
        let words = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').filter(|word| !word.is_empty());
        let stem = words.collect::<Vec<_>>().join("_");
        let mut opened = opened();
        for number in 1_u64.. {
            let path = folder.join(if number == 1 { format!("{stem}.so") } else { format!("{stem}-{number}.so") });
            if opened.contains(&path) {
                continue;
            }
            // Others' files stay as they are, since a profile may be of them.
            let is_same = || Ok::<_, io::Error>(fs::metadata(&path)?.len() == image.len() as u64 && fs::read(&path)? == image);
            let same = match is_same() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => made(&folder, &path, image)? || is_same().unwrap_or(false),
                Err(_) => false,
                Ok(same) => same,
            };
            if same {
                opened.insert(path.clone());
                return Ok(KeptFile(path));
            }
        }
        Err(io::ErrorKind::StorageFull.into())
    }
}

/// Makes a file, whole or not at all, whoever else does the same; false if it is there meanwhile.
fn made(folder: &Path, path: &Path, image: &[u8]) -> io::Result<bool> {
    // Processes of two machines may have the same number.
    let mut random = [0; 8];
    // SAFETY: getrandom(2): bytes of ours.
    unsafe { libc::getrandom(random.as_mut_ptr().cast(), random.len(), 0) };
    let new = folder.join(format!(".{}-{:016x}", std::process::id(), u64::from_ne_bytes(random)));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&new)?;
    let linked = file.write_all(image).and_then(|()| fs::hard_link(&new, path));
    fs::remove_file(&new).ok();
    match linked {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether somebody steps through this process: a tracer that is a debugger, and does not only count system calls.
pub(crate) fn is_debugged() -> bool {
    const DEBUGGERS: [&str; 3] = ["gdb", "lldb", "rr"];
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let tracer = status.lines().find_map(|line| line.strip_prefix("TracerPid:")).map_or("0", str::trim);
    let name = fs::read_to_string(format!("/proc/{tracer}/comm")).unwrap_or_default();
    tracer != "0" && DEBUGGERS.iter().any(|debugger| name.starts_with(debugger))
}

/// By the names of its sections, which a linker puts near the end.
pub(crate) fn has_debug_info(image: &[u8]) -> bool {
    const SECTION: &[u8] = b".debug_line";
    let end = &image[image.len().saturating_sub(1 << 16)..];
    end.windows(SECTION.len()).any(|bytes| bytes == SECTION)
}

/// Whether a sanitizer of this process would name the kernel that it finds something in: symbols are read from the file.
fn is_sanitized() -> bool {
    // SAFETY: a NUL-terminated name; the address is only compared.
    !unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__sanitizer_set_report_path".as_ptr()) }.is_null()
}

fn anonymous_file(bytes: &[u8]) -> io::Result<OwnedFd> {
    // SAFETY: a NUL-terminated name.
    let descriptor = unsafe { libc::memfd_create(c"aspen-image".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: fresh, and owned by nobody else.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    let mut file = std::fs::File::from(descriptor);
    file.write_all(bytes)?;
    Ok(high(file.into()))
}

/// The same file by a descriptor that the program will hardly use for something else once this one is closed: symbolisers open the path
/// that the loader was given, and would wait for a pipe or take what a socket brings.
fn high(file: OwnedFd) -> OwnedFd {
    /// So that the kernel's table of descriptors stays small where the limit is a million.
    const MOST: u64 = 4000;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the structure is ours.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } == 0;
    let least = i32::try_from((limit.rlim_cur / 4 * 3).min(MOST)).unwrap_or(0);
    // SAFETY: an open descriptor.
    let moved = if known { unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, least) } } else { -1 };
    if moved < 0 {
        return file;
    }
    // SAFETY: fresh, and owned by nobody else.
    unsafe { OwnedFd::from_raw_fd(moved) }
}

/// A path to the descriptor that this process has not used before.
fn unused_path(descriptor: i32) -> CString {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    spelled(descriptor, COUNT.fetch_add(1, Ordering::Relaxed))
}

/// By the process's number where that is right: a debugger opens the path too, and to it `self` is itself, with another file or a pipe
/// behind the descriptor. Not where processes are numbered otherwise, nor once the main thread has ended, with which the process's folder
/// is empty.
fn spelled(descriptor: i32, count: u64) -> CString {
    let mut path = format!("/proc/{}/fd", std::process::id());
    if !std::path::Path::new(&format!("{path}/{descriptor}")).exists() {
        path = "/proc/thread-self/fd".into();
    }
    for bit in 0..u64::BITS - count.leading_zeros() {
        path.push_str(if count >> bit & 1 == 1 { "/." } else { "/" });
    }
    path.push_str(&format!("/{descriptor}"));
    CString::new(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_never_spelled_twice_and_lead_to_the_descriptor() {
        let file = anonymous_file(b"hello").expect("memory");
        let paths: BTreeSet<CString> = (0..5000).map(|count| spelled(file.as_raw_fd(), count)).collect();
        assert_eq!(paths.len(), 5000);
        let own = format!("/proc/{}/fd/", std::process::id());
        assert!(paths.iter().all(|path| path.to_string_lossy().starts_with(&own)), "a debugger could not open them");
        for _ in 0..300 {
            let path = unused_path(file.as_raw_fd());
            assert_eq!(std::fs::read(path.to_str().expect("ASCII")).expect("the path leads there"), b"hello");
        }
    }

    #[test]
    fn files_of_a_folder_are_opened_once_at_a_time_and_used_again() {
        let folder = std::env::temp_dir().join(format!("aspen-kept-{}", std::process::id()));
        let at = |name: &str| folder.canonicalize().expect("made").join(name);
        let keep = |name: &str, image: &[u8]| KeptFile::new(&folder, name, image).expect("writable");
        let first = keep("image 'a_0' of module 1", b"one");
        assert_eq!(first.0, at("image_a_0_of_module_1.so"));
        let second = keep("image 'a_0' of module 1", b"one");
        assert_eq!(second.0, at("image_a_0_of_module_1-2.so"), "the first is open");
        drop(first);
        assert_eq!(keep("image 'a_0' of module 1", b"one").0, at("image_a_0_of_module_1.so"), "it is closed");
        assert_eq!(keep("image 'a_0' of module 1", b"two").0, at("image_a_0_of_module_1-3.so"), "of another build");
        fs::write(at("b.so"), "of an earlier run").expect("writable");
        assert_eq!(keep("b", b"of an earlier run").0, at("b.so"));
        fs::write(at("c.so"), "of another build").expect("writable");
        assert_eq!(keep("c", b"of this one").0, at("c-2.so"));
        fs::create_dir(at("d.so")).expect("writable");
        assert_eq!(keep("d", b"not to be read").0, at("d-2.so"));
        assert_eq!(fs::read_dir(&folder).expect("made").count(), 8, "nothing else is left");
        fs::remove_dir_all(&folder).expect("ours");
        assert!(KeptFile::new(Path::new("/dev/null/x"), "d", b"").is_err());
    }
}
