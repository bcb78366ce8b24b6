// Tests that fork beside threads.
#pragma once

#include <gtest/gtest.h>

#include "forebay/base/sanitizers.h"

/// Begins a test whose forked child starts threads, takes memory, or takes locks that threads of the parent
/// use. Under ThreadSanitizer the child of a program with threads can start none, and those that it has are
/// not followed. AddressSanitizer's allocator may have been locked by a thread that the child lacks, for
/// example one that was just starting: the child then hangs in its next free().
#define FOREBAY_SKIP_UNLESS_CHILDREN_WORK() \
  if constexpr (::forebay::kIsSanitized)    \
  GTEST_SKIP() << "under this sanitizer a forked child cannot do its work"
