//! What can be wrong with a module.

use thiserror::Error as ThisError;

/// Why a module cannot be written to or specialised.
#[derive(Clone, PartialEq, Eq, Debug, ThisError)]
pub enum Error {
    /// The bytes are no sound module.
    #[error("damaged SPIR-V at word {word}: {why}")]
    Damaged {
        /// Where, in 32-bit words.
        word: usize,
        /// What is wrong there.
        why: String,
    },
    /// A module for machines of the other byte order.
    #[error("the SPIR-V module is big-endian; only little-endian modules can be read")]
    Endianness,
    /// `ConditionalINTEL` refers to something that is no boolean specialization constant.
    #[error("the condition %{condition} of '{function}' {why}")]
    Condition {
        /// The condition's id.
        condition: u32,
        /// What depends on it.
        function: String,
        /// What is wrong with it.
        why: String,
    },
    /// Nobody said what a constant of ours is.
    #[error("the module asks for specialization constant {0:#x}, which has no value")]
    NoValue(u32),
    /// A SpecId of ours on something else than a condition.
    #[error("%{id} has SpecId {number:#x}, but is no boolean specialization constant")]
    NoBoolean {
        /// What has it.
        id: u32,
        /// The SpecId.
        number: u32,
    },
    /// A function that stays needs one that goes.
    #[error("'{kept}' stays, but refers to '{discarded}', which is discarded: its condition is false for this device")]
    Discarded {
        /// Who refers.
        kept: String,
        /// To whom.
        discarded: String,
    },
    /// A root that the module does not have.
    #[error("the module has neither kernel nor exported function '{0}'")]
    NoRoot(String),
    /// More requirements, or ids, than there are numbers for them.
    #[error("too many {0}")]
    TooMany(&'static str),
}

impl Error {
    pub(crate) fn damaged(word: usize, why: &str) -> Error {
        Error::Damaged { word, why: why.to_owned() }
    }
}
