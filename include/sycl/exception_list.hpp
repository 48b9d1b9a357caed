//! DPC++'s header of `exception_list`. Source: SYCL 2020 §4.13.2.
#pragma once
#include <sycl/exception.hpp>
