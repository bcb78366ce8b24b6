// A map with a bound: beyond it the idle values that were not used for longest go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace forebay {

/// `IsIdle` says of a value whether it may go: bool(const Value&). What is in use stays, also beyond the
/// bound. Not thread safe.
template <class Key, class Value, class IsIdle>
class RecentlyUsed {
 public:
  struct Entry {
    Value value = {};
    uint64_t last_use = 0;
  };

  explicit RecentlyUsed(size_t most, IsIdle is_idle = {}) : most_(most), is_idle_(std::move(is_idle)) {}

  /// The value, which counts as a use; null if there is none.
  Value* find(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) {
      return nullptr;
    }
    found->second.last_use = ++uses_;
    return &found->second.value;
  }

  /// The value, which counts as a use; a new one if there is none, after which take_surplus() is due.
  Value& find_or_add(const Key& key) {
    Entry& entry = entries_[key];
    entry.last_use = ++uses_;
    return entry.value;
  }

  /// What goes, keys and values, for its owner to destroy without a lock.
  using Surplus = std::vector<typename std::map<Key, Entry>::node_type>;
  /// Takes out what is beyond the bound, what was used longest ago first; never the one used last.
  Surplus take_surplus() {
    Surplus surplus;
    while (entries_.size() > most_) {
      const auto oldest = oldest_idle();
      if (oldest == entries_.end()) {
        break;
      }
      surplus.push_back(entries_.extract(oldest));
    }
    return surplus;
  }

  void swap(RecentlyUsed& other) { entries_.swap(other.entries_); }

 private:
  auto oldest_idle() {
    auto oldest = entries_.end();
    for (auto each = entries_.begin(); each != entries_.end(); ++each) {
      const bool is_older = oldest == entries_.end() || each->second.last_use < oldest->second.last_use;
      if (each->second.last_use != uses_ && is_older && is_idle_(each->second.value)) {
        oldest = each;
      }
    }
    return oldest;
  }

  const size_t most_;
  const IsIdle is_idle_;
  std::map<Key, Entry> entries_;
  uint64_t uses_ = 0;
};

/// Of shared pointers: whether nobody else has the object, if there is one.
struct IsUnshared {
  bool operator()(const auto& pointer) const { return pointer.use_count() <= 1; }
};

}  // namespace forebay
