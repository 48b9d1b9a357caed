//! Property sets, OffloadBinary and the containers that carry device images.
