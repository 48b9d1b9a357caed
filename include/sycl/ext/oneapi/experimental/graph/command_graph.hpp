//! A part of DPC++'s header of command graphs. Source: sycl_ext_oneapi_graph.
#pragma once
#include <sycl/ext/oneapi/experimental/graph.hpp>
