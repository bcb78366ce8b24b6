#include "forebay/engine/testing/no_more_threads.h"

#include <pthread.h>

#include <cstddef>

#include "forebay/base/check.h"

namespace forebay::engine::testing {
namespace {

constexpr size_t kNoSuchStack = size_t{1}
                                << 46;  // more than a process can address, so creation fails with EAGAIN

size_t change_stack_size(size_t bytes) {
  pthread_attr_t defaults;
  size_t before = 0;
  FOREBAY_CHECK(pthread_getattr_default_np(&defaults) == 0);
  FOREBAY_CHECK(pthread_attr_getstacksize(&defaults, &before) == 0);
  FOREBAY_CHECK(pthread_attr_setstacksize(&defaults, bytes) == 0);
  FOREBAY_CHECK(pthread_setattr_default_np(&defaults) == 0);
  pthread_attr_destroy(&defaults);
  return before;
}

size_t usual_size = 0;

}  // namespace

NoMoreThreads::NoMoreThreads() {
  usual_size = change_stack_size(kNoSuchStack);
}

NoMoreThreads::~NoMoreThreads() {
  change_stack_size(usual_size);
}

}  // namespace forebay::engine::testing
