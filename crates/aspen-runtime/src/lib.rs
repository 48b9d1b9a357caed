//! Registry of images, devices, queues, memory: check, then launch.
