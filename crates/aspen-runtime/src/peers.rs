//! Devices that reach each other's memory. Source: sycl_ext_oneapi_peer_access.
//!
//! A backend whose devices do gives them access when it allocates, since copies between them want it too. To enable it is a promise of the program's
//! only, which is kept so that what the extension calls errors are some.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::backend::Native;
use crate::command::lock;
use crate::error::{Code, Error, Result};
use crate::system::Device;

/// By the names of both: who reaches, and whose memory.
static ENABLED: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());

impl Device {
    /// Whether kernels of this device may access memory that belongs to the other.
    pub fn can_reach(&self, other: &Device) -> bool {
        std::ptr::eq(self.platform(), other.platform())
            && self.whole().is_none()
            && other.real().native(Native::Device, false).ok().flatten().is_some_and(|other| self.real().reaches(other))
    }

    /// Notes that they are to.
    ///
    /// # Errors
    /// [`Code::FeatureNotSupported`] if they may not, [`Code::Invalid`] if that was noted already.
    pub fn enable_reach(&self, other: &Device) -> Result<()> {
        if !self.can_reach(other) {
            return Err(peer_error(
                Code::FeatureNotSupported,
                "ext_oneapi_enable_peer_access",
                self,
                other,
                "the one cannot access the other's memory",
            ));
        }
        let is_new = lock(&ENABLED).insert(both(self, other));
        if is_new {
            Ok(())
        } else {
            Err(peer_error(Code::Invalid, "ext_oneapi_enable_peer_access", self, other, "access is enabled already"))
        }
    }

    /// Notes that they are not to any more.
    ///
    /// # Errors
    /// [`Code::Invalid`] if they were not.
    pub fn disable_reach(&self, other: &Device) -> Result<()> {
        let was_there = lock(&ENABLED).remove(&both(self, other));
        if was_there {
            Ok(())
        } else {
            Err(peer_error(Code::Invalid, "ext_oneapi_disable_peer_access", self, other, "access was not enabled"))
        }
    }
}

fn both(device: &Device, other: &Device) -> (String, String) {
    (device.selector_name().to_owned(), other.selector_name().to_owned())
}

fn peer_error(code: Code, function: &str, device: &Device, other: &Device, why: &str) -> Error {
    Error::new(code, format!("{function}: {} and {}: {why}", device.selector_name(), other.selector_name()))
}
