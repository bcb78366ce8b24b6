// A map with a bound: beyond it the idle value that was not used for longest goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace forebay {

/// `IsIdle` says of a value whether it may go: bool(const Value&). What is in use stays, also beyond the
/// bound. Not thread safe.
template <class Key, class Value, class IsIdle>
class RecentlyUsed {
 public:
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

  /// What goes, if there are too many, for its owner to destroy without a lock; never the one used last.
  std::optional<Value> take_surplus() {
    auto oldest = entries_.end();
    for (auto each = entries_.begin(); entries_.size() > most_ && each != entries_.end(); ++each) {
      const bool is_older = oldest == entries_.end() || each->second.last_use < oldest->second.last_use;
      if (each->second.last_use != uses_ && is_older && is_idle_(each->second.value)) {
        oldest = each;
      }
    }
    if (oldest == entries_.end()) {
      return std::nullopt;
    }
    return std::move(entries_.extract(oldest).mapped().value);
  }

  size_t size() const { return entries_.size(); }

  void swap(RecentlyUsed& other) { entries_.swap(other.entries_); }

 private:
  struct Entry {
    Value value = {};
    uint64_t last_use = 0;
  };

  const size_t most_;
  const IsIdle is_idle_;
  std::map<Key, Entry> entries_;
  uint64_t uses_ = 0;
};

/// Of shared pointers: whether nobody else has the object.
struct IsUnshared {
  bool operator()(const auto& pointer) const { return pointer.use_count() == 1; }
};

}  // namespace forebay
