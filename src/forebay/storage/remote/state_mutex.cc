#include "forebay/storage/remote/state_mutex.h"

#include "forebay/base/sync/fork.h"

namespace forebay::storage {

Mutex& remote_state_mutex() {
  static Mutex* const mutex = [] {
    auto* const made = new Mutex;
    keep_usable_in_child(made->native());
    return made;
  }();
  return *mutex;
}

}  // namespace forebay::storage
