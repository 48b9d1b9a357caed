//! What the plugin says and writes, a module for each matter.

mod attributes;
mod errors;
mod hidden_types;
mod host_only;
mod kernels;
mod passes;
mod support;
mod token_lists;
