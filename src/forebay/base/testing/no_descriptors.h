// A process that may open nothing more.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include "forebay/base/file_descriptor.h"

// The undefined-behaviour sanitizer's check of types, where it is linked.
extern "C" [[gnu::weak]] void __ubsan_handle_dynamic_type_cache_miss_abort(void*, void*, void*);

namespace forebay {

/// Whether types are checked by a sanitizer that opens a pipe for each type that it has not seen, and takes
/// the object for another one where it cannot.
inline bool checks_types_by_descriptors() {
  return __ubsan_handle_dynamic_type_cache_miss_abort != nullptr;
}

/// While it lives, this process has no descriptor left but those that it has open.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const FileDescriptor next(::dup(STDERR_FILENO));
    if (next.is_valid()) {
      rlimit none = before_;
      none.rlim_cur = static_cast<rlim_t>(next.get());
      ::setrlimit(RLIMIT_NOFILE, &none);
    }
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace forebay
