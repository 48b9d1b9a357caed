//! Work-groups.
