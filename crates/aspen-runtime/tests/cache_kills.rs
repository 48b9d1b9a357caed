//! A process that is killed at random moments while it writes the JIT cache, 200 times: afterwards every entry is whole or not there, and
//! a right run makes what is missing. The killed process is this test again, with a variable that tells it to write.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use aspen_runtime::cache::{CacheKey, ProgramCache};

const FOLDER: &str = "ASPEN_TEST_CACHE_KILLS";
const KILLS: u32 = 200;
const PROGRAMS: u64 = 16;
/// Far more than the programs need, and far less than all that is written.
const LIMIT: u64 = 64 << 20;

fn cache(folder: &Path) -> ProgramCache {
    ProgramCache::new(folder, LIMIT, true)
}

fn key(program: u64) -> CacheKey {
    CacheKey::new([b"kills".as_slice(), &program.to_le_bytes()])
}

/// A program of half a MiB that tells itself from all others.
fn content(program: u64) -> Vec<u8> {
    // Long runs that are made quickly: a killed process must have been writing, not preparing.
    program.to_le_bytes().repeat(65_000 + program as usize * 100)
}

/// Writes until it is killed; what it reads meanwhile must be right.
fn write_forever(folder: &Path) -> ! {
    let (cache, programs) = (cache(folder), (0..PROGRAMS).map(|program| (key(program), content(program))).collect::<Vec<_>>());
    let mut round = u64::from(std::process::id());
    loop {
        let (key, content) = &programs[(round % PROGRAMS) as usize];
        if round.is_multiple_of(8) && cache.load(key).is_some_and(|found| found != *content) {
            eprintln!("another program's content");
            std::process::exit(9);
        }
        cache.store(key, content);
        round = round.wrapping_mul(31).wrapping_add(7);
    }
}

#[test]
fn deep_two_hundred_kills_leave_no_wrong_entry() {
    if let Some(folder) = env::var_os(FOLDER) {
        write_forever(Path::new(&folder));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let own = env::current_exe().expect("this test");
    let mut random = 12345_u64;
    for round in 0..KILLS {
        let start = || {
            let mut command = Command::new(&own);
            command.args(["--exact", "deep_two_hundred_kills_leave_no_wrong_entry", "--nocapture"]).env(FOLDER, folder.path());
            command.stdout(Stdio::null()).spawn().expect("it runs")
        };
        // Two write at once.
        let mut writers = [start(), start()];
        random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        std::thread::sleep(Duration::from_micros(5_000 + random % 40_000));
        for writer in &mut writers {
            assert_eq!(writer.try_wait().expect("a child"), None, "round {round}: a writer found something wrong");
            writer.kill().expect("a child");
            writer.wait().expect("a child");
        }
        let cache = cache(folder.path());
        for program in 0..PROGRAMS {
            assert!(cache.load(&key(program)).is_none_or(|found| found == content(program)), "round {round}, program {program}");
        }
    }
    let names = || -> BTreeSet<String> {
        let entries = fs::read_dir(folder.path().join("jit")).expect("the writers made it");
        entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect()
    };
    let unfinished = names().iter().filter(|name| name.ends_with(".unfinished")).count();
    println!("{unfinished} of {KILLS} kills hit a write");
    assert!(unfinished > 0, "no kill came in the middle of a write: the test shows nothing");
    let cache = cache(folder.path());
    for program in 0..PROGRAMS {
        cache.store(&key(program), &content(program));
        assert_eq!(cache.load(&key(program)), Some(content(program)));
    }
    assert_eq!(names().len() - unfinished, PROGRAMS as usize);
}
