// What an upstream store said about its objects, for as long as it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Thread safe. Bounded by kMaxBytes: when it is full, the older half goes.
class FreshAnswers {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;

  /// `trusted_ns` after it was asked for, an answer is forgotten; an absence after `absence_trusted_ns`.
  FreshAnswers(const Clock& clock, int64_t trusted_ns, int64_t absence_trusted_ns)
      : clock_(clock), trusted_ns_(trusted_ns), absence_trusted_ns_(absence_trusted_ns) {}

  struct Known {
    bool is_absent = false;
    storage::ObjectStat stat;
  };
  std::optional<Known> find(std::string_view key) const;
  /// The object as it was last known, however long ago; nothing if it was absent.
  std::optional<storage::ObjectStat> find_outdated(std::string_view key) const;

  /// Taken when a question is sent. Its answer counts from then on, and not at all if something was written
  /// since.
  struct Question {
    int64_t asked_ns = 0;
    uint64_t writes = 0;
  };
  Question ask() const;
  void record(const Question& question, storage::ObjectStat stat);
  void record_absence(const Question& question, std::string key);
  /// Whether nothing was written since the question was sent.
  bool still_counts(const Question& question) const;
  /// Whether any answer to the question, had it come, would be trusted now.
  bool would_be_trusted(const Question& question) const;
  void forget(const std::string& key);
  void forget_all();

  /// Around every change that goes through this store: what is asked meanwhile may be answered from before
  /// or after it.
  void begin_write();
  void end_write();

 private:
  struct Answer {
    bool is_absent = false;
    int64_t asked_ns = 0;
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0;
    std::string version;
  };
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Answers = std::unordered_map<std::string, Answer, TextHash, std::equal_to<>>;

  static storage::ObjectStat stat_of(std::string_view key, const Answer& answer);
  const Answer* answer_of(std::string_view key) const FOREBAY_REQUIRES(mutex_);
  void put(const Question& question, std::string key, Answer answer);

  const Clock& clock_;
  const int64_t trusted_ns_;
  const int64_t absence_trusted_ns_;
  mutable Mutex mutex_;
  Answers young_ FOREBAY_GUARDED_BY(mutex_);
  Answers old_ FOREBAY_GUARDED_BY(mutex_);
  size_t young_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t writes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t writes_under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::cache
