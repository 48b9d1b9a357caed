//! The embedded CPU device.
