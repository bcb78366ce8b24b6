// The mutex of an engine, as clang's analysis knows it. Tasks, lanes and variables do not know their engine,
// so one name stands for the mutex of whichever engine they belong to. Only a Section (section.h) takes it.
#pragma once

#include "forebay/base/sync/thread_annotations.h"

namespace forebay::engine {

class FOREBAY_CAPABILITY("mutex of the engine") EngineMutex {};

inline constexpr EngineMutex engine_mutex{};

/// Marks a field that is read and written only with the mutex held.
#define FOREBAY_GUARDED FOREBAY_GUARDED_BY(::forebay::engine::engine_mutex)
/// Marks a function that must be called with the mutex held.
#define FOREBAY_HOLDS FOREBAY_REQUIRES(::forebay::engine::engine_mutex)

}  // namespace forebay::engine
