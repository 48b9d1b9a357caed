//! What an access was that hit a guard, or memory that nothing has required, told before the process dies of it (`ASPEN_CHECK`).
//!
//! The handler runs in the thread that made the access, which was kernels', the program's or a copy's code, and none that holds locks of the
//! allocator: so it may allocate.

use std::fmt::Write as _;

use aspen_runtime::guarded::{self, Found, Opened, Purpose};

use crate::lines;
use crate::running::Running;

/// Of the page fault's error code: the access was a write. Source: Intel SDM, volume 3, "Page-Fault Exceptions".
pub(crate) const WRITE: usize = 2;
/// The kernel's own signal, for faults that have no address.
pub(crate) const SI_KERNEL: i32 = 0x80;

/// Tells what is known of the fault, if it is one that checks have caused; whether it is.
///
/// # Safety
/// In the handler of the signal, in the thread that runs that.
pub(crate) unsafe fn tell(running: Running, information: &libc::siginfo_t, context: &libc::ucontext_t) -> bool {
    // SAFETY: a fault's information.
    let address = unsafe { information.si_addr() } as usize;
    let register = |register: i32| context.uc_mcontext.gregs[register as usize];
    let writes = register(libc::REG_ERR) as usize & WRITE != 0;
    let found = if information.si_code == SI_KERNEL { None } else { guarded::find(address) };
    // SAFETY: by this function's contract.
    let kernel = unsafe { running.kernel() };
    if found.is_none() && (information.si_code != SI_KERNEL || kernel.is_none()) {
        return false;
    }
    if !lines::is_first_to_tell() {
        return true;
    }
    // SAFETY: by this function's contract: what the thread runs.
    let who = unsafe { running.in_words() };
    let (what, way_out) = match found {
        Some(found) => access(found, address, writes, kernel.is_some()),
        None => (
            "accesses memory that is not aligned as its type asks".into(),
            "memory begins at a multiple of the largest power of two that divides its size, so that it ends where it is guarded",
        ),
    };
    lines::say(format!("aspen: {who} {what}").as_bytes());
    let (place, hint) = lines::at(register(libc::REG_RIP) as usize);
    lines::say(format!("{place} (found by ASPEN_CHECK): {way_out}{hint}\n").as_bytes());
    true
}

/// What the access is, and what to do about it.
fn access(found: Found, address: usize, writes: bool, in_kernel: bool) -> (String, &'static str) {
    let does = if writes { "writes" } else { "reads" };
    let memory = match found.purpose {
        Purpose::Buffer { .. } => format!("a buffer of {} bytes", found.size),
        Purpose::Usm => format!("a USM allocation of {} bytes", found.size),
        Purpose::Local => format!("the {} bytes of its local accessors", found.size),
    };
    let is_buffer = matches!(found.purpose, Purpose::Buffer { .. });
    let Some(offset) = address.checked_sub(found.begin) else {
        let text = format!("{does} {} before the begin of {memory}", bytes(found.begin - address));
        return (text, "check the index against 0");
    };
    let mut text = if offset < found.size {
        format!("{does} byte {offset} of {memory}")
    } else if offset == found.size {
        format!("{does} right behind the end of {memory}")
    } else {
        format!("{does} {} behind the end of {memory}", bytes(offset - found.size))
    };
    if let Purpose::Buffer { alignment } = found.purpose
        && alignment > 1
    {
        let _never = write!(text, " (element {} of {}, if they have {alignment} bytes)", offset / alignment, found.size / alignment);
    }
    let way_out = if offset >= found.size && found.opened.is_some() {
        "check the index against the size"
    } else if found.opened.is_none() {
        text.push_str(if is_buffer { ", which is destroyed" } else { ", which was freed" });
        if is_buffer {
            "the buffer must live until whoever accesses it is done"
        } else {
            "free it when the commands that use it are complete"
        }
    } else if writes && found.opened == Some(Opened::Reading) {
        text.push_str(", for which only accessors that read have been required");
        "an accessor that writes tells the runtime who must wait"
    } else if in_kernel {
        text.push_str(", for which its command group has no accessor");
        "make the accessor with the handler of the command group that uses it, or require it there"
    } else {
        text.push_str(", for which there is no host accessor");
        "keep a host accessor as long as its pointers and references are used"
    };
    (text, way_out)
}

fn bytes(count: usize) -> String {
    if count == 1 { "1 byte".into() } else { format!("{count} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_told_in_words() {
        let buffer = |opened| Found { purpose: Purpose::Buffer { alignment: 4 }, begin: 1000, size: 400, opened };
        let told = |found, address, writes| access(found, address, writes, true).0;
        let open = Some(Opened::Writing);
        assert_eq!(
            told(buffer(open), 1400, false),
            "reads right behind the end of a buffer of 400 bytes (element 100 of 100, if they have 4 bytes)"
        );
        assert_eq!(told(buffer(open), 999, true), "writes 1 byte before the begin of a buffer of 400 bytes");
        assert!(told(buffer(None), 1000, true).ends_with(", which is destroyed"));
        assert!(told(buffer(Some(Opened::Reading)), 1000, true).ends_with("only accessors that read have been required"));
        assert!(told(buffer(Some(Opened::Nothing)), 1004, false).ends_with("its command group has no accessor"));
        let local = Found { purpose: Purpose::Local, ..buffer(open) };
        assert_eq!(told(local, 1404, true), "writes 4 bytes behind the end of the 400 bytes of its local accessors");
    }
}
