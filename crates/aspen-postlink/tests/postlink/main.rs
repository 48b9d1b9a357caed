//! From linked modules to images, a module for each matter.

mod beside_dpcpp;
mod device_globals;
mod dpcpp;
mod filter;
mod guards;
mod spec_constants;
mod split;
