//! Devices that are parts of another one. Source: SYCL 2020 §4.6.4.3.
//!
//! A part is a device like others: it has threads of its own, as many as it has compute units, so what runs on it neither takes more of the
//! machine nor waits for what runs elsewhere. Memory is the whole device's. The same part is the same device each time that it is asked for, so
//! that a program which divides a device the same way again and again does not gather threads; each way of dividing it has its own.

use std::sync::{Arc, Mutex};

use crate::backend::{Portion, RawDevice};
use crate::command::lock;
use crate::error::{Code, Error, Result};
use crate::pool::Pool;
use crate::system::Device;

/// How a device is divided (`aspen_partition_t`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
pub enum Partition {
    /// Into parts with as many compute units each.
    Equally = 1,
    /// Into parts of which each has the number of compute units that it is asked for.
    ByCounts = 2,
    /// Into parts whose compute units share a NUMA node.
    ByNuma = 3,
}

impl Partition {
    /// Of that `aspen_partition_t`.
    pub fn from_number(number: i32) -> Option<Partition> {
        [Partition::Equally, Partition::ByCounts, Partition::ByNuma].into_iter().find(|how| *how as i32 == number)
    }
}

/// What a device that is a part has besides.
pub(crate) struct Whole {
    pub(crate) device: &'static Device,
    how: Partition,
    pub(crate) pool: Arc<Pool>,
}

/// Which part: how the device was divided, from which compute unit or node on, how many units.
type Key = (Partition, u64, u64);

/// The parts of a device that were asked for.
#[derive(Default)]
pub(crate) struct Parts(Mutex<Vec<(Key, &'static Device)>>);

impl Device {
    /// Whether it can be divided that way.
    pub fn can_divide(&self, how: Partition) -> bool {
        match how {
            // A single unit makes no parts. Source: SYCL 2020 §4.6.4.4.
            Partition::Equally | Partition::ByCounts => {
                self.real().facts().max_compute_units > 1 && self.real().portion(Portion::Units(1)).is_some()
            }
            Partition::ByNuma => self.real().nodes() > 1,
        }
    }

    /// The device that it is a part of, and how that was divided.
    pub fn whole(&self) -> Option<(&'static Device, Partition)> {
        self.part_of().map(|whole| (whole.device, whole.how))
    }

    /// The threads that run its commands: its own if it is a part, else those of the runtime.
    pub fn threads_or<'a>(&'a self, common: &'a Arc<Pool>) -> &'a Arc<Pool> {
        self.part_of().map_or(common, |whole| &whole.pool)
    }

    /// Divides it. `counts` is the one number of units of [`Partition::Equally`], those of [`Partition::ByCounts`], of which zeros stand for no
    /// part, and nothing for [`Partition::ByNuma`].
    ///
    /// # Errors
    /// [`Code::FeatureNotSupported`] if it cannot be divided that way, [`Code::Invalid`] if it has less units than asked for.
    pub fn divide(&'static self, how: Partition, counts: &[u64]) -> Result<Vec<&'static Device>> {
        let (name, units) = (&self.real().facts().name, self.real().facts().max_compute_units);
        if !self.can_divide(how) {
            let text = match how {
                Partition::Equally | Partition::ByCounts if units == 1 => {
                    format!("'{name}' has a single compute unit, which cannot be divided")
                }
                Partition::Equally | Partition::ByCounts => format!("'{name}' cannot be divided; the embedded CPU device can"),
                Partition::ByNuma => format!("'{name}' has no two NUMA nodes by which it could be divided"),
            };
            return Err(Error::new(Code::FeatureNotSupported, format!("create_sub_devices: {text}")));
        }
        let invalid =
            |what: &str| Err(Error::new(Code::Invalid, format!("create_sub_devices: {what}, and '{name}' has {units} compute units")));
        let sizes: Vec<u64> = match (how, counts) {
            (Partition::ByNuma, _) => vec![0; self.real().nodes()],
            (Partition::Equally, [0]) => return invalid("no part can have 0"),
            (Partition::Equally, [each]) if *each > units => return invalid(&format!("{each} are asked for")),
            (Partition::Equally, [each]) => (0..units / each).map(|_| *each).collect(),
            (Partition::Equally, _) => return invalid("one number of compute units is needed"),
            (Partition::ByCounts, counts) => {
                let sum = counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
                if sum > units {
                    return invalid(&format!("{sum} are asked for"));
                }
                counts.iter().copied().filter(|count| *count > 0).collect()
            }
        };
        let mut first = 0;
        let mut parts = Vec::new();
        for (number, size) in (0..).zip(sizes) {
            let (from, portion) = if how == Partition::ByNuma { (number, Portion::Node(number)) } else { (first, Portion::Units(size)) };
            parts.push(self.part((how, from as u64, size), portion)?);
            first += usize::try_from(size).unwrap_or_default();
        }
        Ok(parts)
    }

    fn part(&'static self, key: Key, portion: Portion) -> Result<&'static Device> {
        let mut known = lock(&self.parts().0);
        if let Some((_, part)) = known.iter().find(|(other, _)| *other == key) {
            return Ok(part);
        }
        let none = || Error::new(Code::FeatureNotSupported, "create_sub_devices: the device has no such part");
        let real: Arc<dyn RawDevice> = self.real().portion(portion).ok_or_else(none)?;
        let threads = usize::try_from(real.facts().max_compute_units).unwrap_or(1);
        let placed = real.clone();
        let pool = Pool::placed(threads, Box::new(move || placed.begin_thread()));
        let part: &'static Device = Box::leak(Box::new(self.as_part(real, Whole { device: self, how: key.0, pool })));
        known.push((key, part));
        Ok(part)
    }
}
