//! One file a target kind: from a split bitcode module to a device image.
