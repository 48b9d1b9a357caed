//! "Aspen/decided": what was taken for granted of a target's devices when an image was finished for them ahead of time.
//!
//! The database says what a target has; the device in the user's machine may lack some of it, or have more (a profile, a newer driver, a
//! wrong entry of the user's). Code that was left out cannot be asked for then, and bodies that were chosen cannot be exchanged, so the
//! check has to know both. A property an entry point of which something was decided; images for any device have none.
//! Source: S1 "AOT case"; S4; ARCHITECTURE "Images".

use aspen_contract::{AspectSet, Capabilities, Guard, Need};
use serde::{Deserialize, Serialize};

use crate::image::{DeviceImage, ImageError, read_payload};
use crate::payload;
use crate::property::{PropertySet, Value};

/// The set's name.
pub const DECIDED: &str = "Aspen/decided";

/// What was decided of an entry point.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Decided {
    /// The target lacks these needs of its, so the image has no code of it.
    pub left_out: Vec<Need>,
    /// Bodies of `if_device_has` were chosen because the target has these.
    pub taken: AspectSet,
}

impl Decided {
    /// Of an entry point that reaches these guards, in an image for a target of these capabilities. Where a guard is not known to hold, the
    /// code for other devices is taken, which runs on both.
    pub fn of<'g>(left_out: Vec<Need>, guards: impl IntoIterator<Item = &'g Guard>, target: &Capabilities) -> Decided {
        let has = |list: &AspectSet| list.iter().all(|aspect| target.has(&Need::Aspect(*aspect)) == Some(true));
        let chosen = guards.into_iter().filter(|guard| has(&guard.has) && !guard.lacks.iter().any(has));
        Decided { left_out, taken: chosen.flat_map(|guard| guard.has.iter().copied()).collect() }
    }
}

/// The set: a property an entry point of which anything was decided.
pub fn decided_set<'e>(entries: impl IntoIterator<Item = (&'e str, Decided)>) -> PropertySet {
    let some = entries.into_iter().filter(|(_, decided)| *decided != Decided::default());
    some.map(|(symbol, decided)| (symbol.to_owned(), Value::Bytes(payload::write(&decided)))).collect()
}

impl DeviceImage<'_> {
    /// What was decided of the entry point when the image was made.
    ///
    /// # Errors
    /// If the property is damaged: nobody knows then whether the image holds the code.
    pub fn decided(&self, symbol: &str) -> Result<Decided, ImageError> {
        let value = self.property(DECIDED, symbol)?;
        value.map_or(Ok(Decided::default()), |value| read_payload(DECIDED, symbol, &value))
    }
}

#[cfg(test)]
mod tests {
    use aspen_contract::Aspect;

    use super::*;
    use crate::{ImageBuilder, ImageKind, offload};

    fn guard(has: &[Aspect], lacks: &[Aspect]) -> Guard {
        Guard { has: has.iter().copied().collect(), lacks: lacks.iter().map(|aspect| [*aspect].into()).collect() }
    }

    #[test]
    fn what_is_taken_is_what_chose_a_body() {
        let closed = Capabilities { aspects: [Aspect::FP16].into(), ..Capabilities::default() };
        let open = Capabilities { may_support_other_aspects: true, ..closed.clone() };
        for (target, guards, taken) in [
            (&closed, vec![guard(&[Aspect::FP16], &[])], vec![Aspect::FP16]),
            (&closed, vec![guard(&[Aspect::FP64], &[])], vec![]),
            (&open, vec![guard(&[Aspect::FP64], &[])], vec![]),
            (&open, vec![guard(&[Aspect::FP16], &[Aspect::FP64])], vec![Aspect::FP16]),
            (&closed, vec![guard(&[Aspect::FP16, Aspect::FP64], &[]), guard(&[], &[Aspect::FP64])], vec![]),
            (&closed, vec![guard(&[], &[Aspect::FP16])], vec![]),
        ] {
            let decided = Decided::of(Vec::new(), &guards, target);
            assert_eq!(decided.taken, taken.into_iter().collect(), "{guards:?}");
        }
    }

    #[test]
    fn the_set_is_read_back() {
        let of = Decided { left_out: vec![Need::Aspect(Aspect::FP64), Need::SubGroupSize(8)], taken: [Aspect::FP16].into() };
        let set = decided_set([("a", of.clone()), ("b", Decided::default())]);
        assert_eq!(set.keys().collect::<Vec<_>>(), ["a"]);
        let image = |set| {
            let builder = ImageBuilder::new(ImageKind::Object, "spir64_gen", "intel_gpu_dg1", "x_0").set(DECIDED, set);
            builder.to_bytes(b"code").expect("names")
        };
        let bytes = image(set);
        let read = DeviceImage::new(offload::parse_all(&bytes).expect("sound").remove(0));
        assert_eq!((read.decided("a"), read.decided("b")), (Ok(of), Ok(Decided::default())));
        let damaged = image([("a".to_owned(), Value::Bytes(vec![1, 2]))].into_iter().collect());
        let read = DeviceImage::new(offload::parse_all(&damaged).expect("sound").remove(0));
        assert!(read.decided("a").expect_err("damaged").to_string().contains("'a'"));
    }
}
