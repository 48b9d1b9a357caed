//! What is done to modules with LLVM, a module for each matter.

mod attach;
mod module;
mod spec_constants;
mod summarise;
mod summarise_places;
mod twin;
