//! The target database: built-in table, YAML overlay with spans, aliases.
