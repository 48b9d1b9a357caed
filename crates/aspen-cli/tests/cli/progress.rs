//! The progress bar on a terminal of its own: when it comes, what it leaves behind, and that nothing else ever sees it.
//!
//! Post-link reads its module from a pipe that the test keeps waiting, so that the work takes more than a second on any machine.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::Session;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Longer than the bar's patience and the start of a program on a busy machine.
const LONG: Duration = Duration::from_millis(2500);
/// The start of a line and what erases it.
const CLEAR: &str = "\r\u{1b}[2K";
const KERNELS: usize = 12;

/// Both ends of a terminal of 60 columns.
fn terminal() -> (File, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&master).expect("ours");
    unlockpt(&master).expect("ours");
    let name = ptsname(&master, Vec::new()).expect("a name");
    let slave = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the other end");
    tcsetwinsize(&slave, Winsize { ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    (master.into(), slave)
}

/// What came of a run: the terminal's text, and what standard error was otherwise.
struct Seen {
    terminal: String,
    stderr: String,
    success: bool,
}

/// Runs post-link with its standard error on a terminal, or not, and the module after a while.
fn post_link(session: &Session, wait: Duration, on_terminal: bool, variables: &[(&str, Option<&str>)]) -> Seen {
    let (mut master, slave) = terminal();
    let mut command = Command::new(session.bin.join("aspen"));
    command.args(["post-link", "-split=kernel", "-j1", "-o", "x.table"]).current_dir(session.path("")).env("TERM", "xterm");
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::piped()).stdout(slave.try_clone().expect("a descriptor"));
    // Nobody but the child may keep the other end: reading ends when the last one goes.
    command.stderr(if on_terminal {
        slave.into()
    } else {
        drop(slave);
        Stdio::piped()
    });
    let mut child = command.spawn().expect("aspen runs");
    drop(command);
    let reader = thread::spawn(move || {
        let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
        // A terminal without another end is an error on Linux.
        while let Ok(count @ 1..) = master.read(&mut buffer) {
            text.extend_from_slice(&buffer[..count]);
        }
        String::from_utf8_lossy(&text).into_owned()
    });
    thread::sleep(wait);
    let kernels: String = (0..KERNELS).map(|index| format!("define spir_kernel void @k{index}() {{ ret void }}\n")).collect();
    child.stdin.take().expect("a pipe").write_all(kernels.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Seen { terminal: reader.join().expect("read to the end"), stderr, success: output.status.success() }
}

#[test]
fn deep_long_work_on_a_terminal_shows_a_bar_that_goes_away() {
    let session = Session::new(&[]);
    for variables in [vec![], vec![("NO_COLOR", Some("1"))], vec![("TERM", Some("linux"))]] {
        let seen = post_link(&session, LONG, true, &variables);
        assert!(seen.success, "{}", seen.terminal);
        let text = seen.terminal.strip_suffix(CLEAR).unwrap_or_else(|| panic!("the line is left behind: {:?}", seen.terminal));
        // Drawn over and over on one line of the terminal's width, without colours.
        assert!(!text.contains('\n') && !text.contains("\u{1b}[3") && !text.contains("\u{1b}[0m"), "{text:?}");
        for frame in text.split(CLEAR) {
            assert!(frame.starts_with("splitting [") && frame.ends_with(&format!("/{KERNELS} images")), "{frame:?}");
            assert_eq!(frame.chars().count(), 60, "{frame:?}");
        }
        assert!(text.contains(&format!("] {KERNELS}/{KERNELS} images")) || text.contains("=>"), "{text:?}");
    }
}

#[test]
fn nothing_else_sees_a_bar() {
    let session = Session::new(&[]);
    for (wait, on_terminal, variables) in [
        // Fast work; standard error elsewhere, though standard output is the terminal; terminals that cannot take a line back.
        (Duration::ZERO, true, vec![]),
        (LONG, false, vec![]),
        (LONG, true, vec![("TERM", Some("dumb"))]),
        (LONG, true, vec![("TERM", None)]),
    ] {
        let seen = post_link(&session, wait, on_terminal, &variables);
        assert!(seen.success, "{}", seen.terminal);
        assert_eq!((seen.terminal.as_str(), seen.stderr.as_str()), ("", ""), "{wait:?} {on_terminal} {variables:?}");
    }
}

/// An error has a line of its own.
#[test]
fn the_bar_is_gone_before_an_error() {
    let session = Session::new(&[]);
    std::fs::create_dir(session.path("x_11.bc")).expect("a fresh folder");
    let seen = post_link(&session, LONG, true, &[]);
    assert!(!seen.success);
    let (bar, error) = seen.terminal.split_once("error:").unwrap_or_else(|| panic!("no error: {:?}", seen.terminal));
    assert!(bar.contains("splitting [") && bar.trim_end_matches("aspen: ").ends_with(CLEAR), "{:?}", seen.terminal);
    assert!(error.contains("x_11.bc") && !error.contains("splitting"), "{:?}", seen.terminal);
}
