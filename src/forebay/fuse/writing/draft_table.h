// The files that are being written, by the node that the kernel has for each, and by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/writing/draft.h"

namespace forebay::fuse {

/// A file that is being written, for each handle by which it may be.
struct ActiveDraft {
  uint64_t node = 0;
  std::string key;
  std::shared_ptr<Draft> draft;
};

/// Thread safe.
class DraftTable {
 public:
  explicit DraftTable(const Clock& clock = steady_clock()) : clock_(clock) {}

  /// One handle more; made by `begin` if there is none of this node. Null where that makes none. It is called
  /// under the lock.
  std::shared_ptr<Draft> open(uint64_t node, const std::string& key,
                              const std::function<std::shared_ptr<Draft>()>& begin);
  /// One handle less. True if it was the last: then end() is to follow, once it is stored.
  bool close(uint64_t node);
  /// It is written no more, unless it was opened meanwhile. Calls `ended`, under the lock, if so: with
  /// whether its name is expected to be opened for writing.
  void end(uint64_t node, const std::function<void(bool is_expected)>& ended);

  /// Null where the node is not being written.
  std::shared_ptr<Draft> find(uint64_t node) const;
  std::optional<ActiveDraft> find_key(std::string_view key) const;
  std::vector<ActiveDraft> below(std::string_view folder) const;
  std::vector<ActiveDraft> all() const { return below({}); }
  /// The name leads to it no more: it was removed, or replaced.
  void forget_key(std::string_view key);
  void rename(uint64_t node, std::string key);

  /// That a thread is about to open a file for writing, by a node of its own that its name has to lead to;
  /// until the thread has, or for some seconds.
  void expect(const std::string& key, uint32_t thread);
  bool is_expected(std::string_view key) const;
  void take_expected(std::string_view key, uint32_t thread);

 private:
  struct Known {
    std::string key;  // empty: it has no name any more
    std::shared_ptr<Draft> draft;
    size_t handles = 0;
  };
  using Expected = std::map<uint32_t, int64_t>;  // until when, by thread

  bool is_expected_now(std::string_view key) const FOREBAY_REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<uint64_t, Known> drafts_ FOREBAY_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t, std::less<>> by_key_ FOREBAY_GUARDED_BY(mutex_);
  std::map<std::string, Expected, std::less<>> expected_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::fuse
