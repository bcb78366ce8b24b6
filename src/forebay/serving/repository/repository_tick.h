// What the timer knows of the repository. Only the .cc files of repository include it.
#pragma once

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/repository/repository.h"

namespace forebay::serving {

/// The timer may call after the repository has gone; then there is none here.
struct Repository::Tick {
  Mutex mutex;
  Repository* repository FOREBAY_GUARDED_BY(mutex) = nullptr;
};

}  // namespace forebay::serving
