// How many bytes of answers lie at a door: made, and not written to their clients yet.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>

#include "forebay/base/sync/mutex.h"

namespace forebay::serving {

/// One bound over the answers of all calls. Thread safe.
class UnwrittenAnswers {
 public:
  using Wake = std::function<void()>;

  /// Answers up to this size are kept whatever else lies: errors, and what says how the server is.
  static constexpr size_t kSmallBytes = size_t{64} << 10;

  explicit UnwrittenAnswers(size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  UnwrittenAnswers(const UnwrittenAnswers&) = delete;
  UnwrittenAnswers& operator=(const UnwrittenAnswers&) = delete;

  /// Counts an answer until the last copy of what is returned ends. Null where, beside others, it would fill
  /// twice the limit: it must not be kept. One that is alone may have any size.
  static std::shared_ptr<void> add(const std::shared_ptr<UnwrittenAnswers>& self, size_t bytes);

  /// Whether more lies than the limit. Then `wake` is called once, on any thread, with no lock held, when
  /// that is over, unless stop_waiting() comes before; one of each `key`. It must not throw.
  bool wait_if_over(const void* key, Wake wake);
  /// `wake` may still be running when this returns.
  void stop_waiting(const void* key);

  size_t bytes() const;

 private:
  void remove(size_t bytes);

  const size_t limit_bytes_;
  mutable Mutex mutex_;
  size_t bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::map<const void*, Wake> waiting_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::serving
