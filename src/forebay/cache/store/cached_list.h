// Listings: short ones are answered from memory for as long as they are trusted, and every page refreshes
// what is known of its objects.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/store/fresh_answers.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Listings of up to 4,096 names, all of them together of up to 65,536. Thread safe.
class ListAnswers {
 public:
  using Pages = std::vector<storage::ListPage>;
  static constexpr size_t kMostNames = 4096;

  ListAnswers(const Clock& clock, int64_t trusted_ns) : clock_(clock), trusted_ns_(trusted_ns) {}

  /// Null if it is not known, or was asked for too long ago.
  std::shared_ptr<const Pages> find(const storage::ListRequest& request) const;
  void record(const storage::ListRequest& request, int64_t asked_ns, Pages pages);
  void forget_all();

 private:
  struct Answer {
    int64_t asked_ns = 0;
    std::shared_ptr<const Pages> pages;
  };

  const Clock& clock_;
  const int64_t trusted_ns_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, Answer> answers_ FOREBAY_GUARDED_BY(mutex_);
  size_t names_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

/// What a stream needs of its store, and keeps.
struct ListSource {
  std::shared_ptr<storage::ObjectStore> upstream;
  std::shared_ptr<FreshAnswers> answers;
  std::shared_ptr<ListAnswers> lists;
};

std::unique_ptr<storage::ListStream> open_cached_list(ListSource source, storage::ListRequest request);

}  // namespace forebay::cache
