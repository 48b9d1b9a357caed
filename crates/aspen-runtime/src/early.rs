//! What a device does before its first launch, while the program still fills its memory.

use std::sync::{Arc, Mutex};

use crate::at_exit;
use crate::command::{Command, Work, lock};
use crate::pool::Pool;
use crate::registry::Registry;
use crate::system::Device;

/// A program has memory of the device, so it will launch kernels there: a thread of the pool gets them ready, once. Nothing happens for devices
/// that have nothing to gain.
pub fn begin(registry: &'static Registry, device: &'static Device, pool: &Arc<Pool>) {
    static SEEN: Mutex<Vec<&'static Device>> = Mutex::new(Vec::new());
    if !device.real().gets_ready() {
        return;
    }
    let mut seen = lock(&SEEN);
    if seen.iter().any(|known| std::ptr::eq(*known, device)) {
        return;
    }
    seen.push(device);
    drop(seen);
    if pool.start().is_err() {
        return; // the first command says so
    }
    let work = Work::Once(Box::new(move || {
        device.real().get_ready();
        registry.load_early(device);
        Ok(())
    }));
    let command = Command::new(pool, work);
    // The driver must not go while it is called.
    at_exit::waits_for(&command);
    at_exit::driver_has_more();
    command.submit();
}
