//! The only crate that knows libLLVM: module and summary, closure cloning, code generation.
