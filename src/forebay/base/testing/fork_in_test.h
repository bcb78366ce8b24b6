// Tests that fork beside threads.
#pragma once

#include <gtest/gtest.h>

#include "forebay/base/sanitizers.h"

/// Begins a test whose forked child starts threads or takes much memory. Under ThreadSanitizer the child of a
/// program with threads can start none; AddressSanitizer's allocator may have been locked by a thread that
/// the child lacks.
#if FOREBAY_THREAD_SANITIZER || FOREBAY_ADDRESS_SANITIZER
#define FOREBAY_SKIP_UNLESS_CHILDREN_WORK() \
  GTEST_SKIP() << "under this sanitizer a forked child cannot do its work"
#else
#define FOREBAY_SKIP_UNLESS_CHILDREN_WORK() static_cast<void>(0)
#endif
