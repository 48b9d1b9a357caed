//! From one target's units and the split plan to device images: link the bitcode, cut out each image's closure, generate code, describe.
//! Source: DESIGN §1, §5, §7.11, §9.

use crate::error::Error;
use crate::scratch::Scratch;
use crate::session::Session;
use crate::targets::Target;

use super::files::LinkUnit;
use super::program::Program;

/// The OffloadBinary blobs of all images for a target, back to back.
pub fn make(
    session: &Session<'_>,
    units: &[LinkUnit<'_>],
    program: &Program,
    target: &Target,
    stem: &str,
    scratch: &mut Scratch,
) -> Result<Vec<u8>, Error> {
    let _ = (session, units, program, target, stem, scratch);
    Ok(Vec::new())
}
