//! Lists of a few shared values. Mostly there is one, so that a list needs no memory of its own.

use std::sync::Arc;

use smallvec::SmallVec;

pub(crate) type Few<T> = SmallVec<[Arc<T>; 2]>;

/// Mostly one of them is empty.
pub(crate) fn add<T: ?Sized>(to: &mut Few<T>, from: Few<T>) {
    if to.is_empty() {
        *to = from;
    } else {
        from.into_iter().for_each(|one| to.push(one));
    }
}
