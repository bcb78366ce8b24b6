// Listings: those that are trusted, or under way, are shared by all who ask for the same, and every page
// refreshes what is known of its objects.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/store/fresh_answers.h"
#include "forebay/cache/store/shared_listing.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Listings of one upstream store. Thread safe.
class ListAnswers {
 public:
  static constexpr size_t kMaxListings = 256;
  static constexpr size_t kMaxNames = 131'072;  // of all listings

  ListAnswers(std::shared_ptr<storage::ObjectStore> upstream, std::shared_ptr<FreshAnswers> answers,
              const Clock& clock, int64_t trusted_ns)
      : upstream_(std::move(upstream)),
        answers_(std::move(answers)),
        clock_(clock),
        trusted_ns_(trusted_ns) {}

  /// One that was asked for a short time ago, or a new one.
  std::shared_ptr<SharedListing> open(const storage::ListRequest& request);
  void forget_all();

  const std::shared_ptr<storage::ObjectStore>& upstream() const { return upstream_; }
  FreshAnswers& answers() const { return *answers_; }

 private:
  void make_room(int64_t now_ns) FOREBAY_REQUIRES(mutex_);

  const std::shared_ptr<storage::ObjectStore> upstream_;
  const std::shared_ptr<FreshAnswers> answers_;
  const Clock& clock_;
  const int64_t trusted_ns_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<SharedListing>> listings_ FOREBAY_GUARDED_BY(mutex_);
};

std::unique_ptr<storage::ListStream> open_cached_list(std::shared_ptr<ListAnswers> lists,
                                                      storage::ListRequest request);

/// The last name on a page, objects and prefixes together; empty if the page is.
std::string last_name_on(const storage::ListPage& page);

}  // namespace forebay::cache
