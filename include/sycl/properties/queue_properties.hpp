//! DPC++'s header of the properties of queues. Source: SYCL 2020 §4.6.5.3.
#pragma once
#include <sycl/queue.hpp>
