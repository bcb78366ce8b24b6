// The one mutex of an engine, as clang's analysis knows it. Tasks, lanes and variables name no engine, so one
// name stands for the mutex of whichever engine they belong to. Only a Section (section.h) takes it.
#pragma once

#include "forebay/base/sync/thread_annotations.h"

namespace forebay::engine {

class FOREBAY_CAPABILITY("mutex of the engine") EngineMutex {};

inline constexpr EngineMutex engine_mutex{};

/// A field that is read and written with it held.
#define FOREBAY_GUARDED FOREBAY_GUARDED_BY(::forebay::engine::engine_mutex)
/// A function that is called with it held.
#define FOREBAY_HOLDS FOREBAY_REQUIRES(::forebay::engine::engine_mutex)

}  // namespace forebay::engine
