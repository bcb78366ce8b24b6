// One listing of an upstream store, for all who ask for the same while it is trusted: they get its pages as
// they come, and each page is asked for once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/cache/store/fresh_answers.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Thread safe. Must be owned by a shared_ptr. Keeps the last kMaxNames names.
class SharedListing : public std::enable_shared_from_this<SharedListing> {
 public:
  static constexpr size_t kMaxNames = 8192;
  using Page = std::shared_ptr<const storage::ListPage>;
  /// Null: this listing has nothing more for the caller, who goes on by itself, behind what it has got.
  using PageCallback = absl::AnyInvocable<void(Result<Page>)>;

  SharedListing(std::shared_ptr<storage::ObjectStore> upstream, std::shared_ptr<FreshAnswers> answers,
                storage::ListRequest request)
      : upstream_(std::move(upstream)), answers_(std::move(answers)), request_(std::move(request)) {}

  /// The page with this number; out_of_range behind the last. A caller asks for one page after the other. The
  /// first who asks for a page asks upstream; should it lose interest, the others go on by themselves. A
  /// caller that only waits and loses interest is answered when the page has come. Whoever would give up
  /// sooner than the one that asks goes on alone, through all that is left.
  void page(size_t number, const storage::CallContext& context, PageCallback done);

  /// Whether it may answer somebody who begins now: all of it is still here, and it is `trusted_ns` old at
  /// most, counted from when its first page was asked for, with nothing written since.
  bool may_be_joined(int64_t now_ns, int64_t trusted_ns) const;
  size_t names() const;

 private:
  struct Waiter {
    storage::CallContext context;
    PageCallback done;
  };

  bool waits_too_long_for(const storage::CallContext& context) const FOREBAY_REQUIRES(mutex_);
  void ask(const storage::CallContext& context);
  void landed(const FreshAnswers::Question& question, Result<storage::ListPage> page);
  Result<Page> keep(Result<storage::ListPage> page) FOREBAY_REQUIRES(mutex_);

  const std::shared_ptr<storage::ObjectStore> upstream_;
  const std::shared_ptr<FreshAnswers> answers_;
  const storage::ListRequest request_;
  std::unique_ptr<storage::ListStream> stream_;  // of whoever asks upstream, one at a time
  mutable Mutex mutex_;
  std::optional<FreshAnswers::Question> first_ FOREBAY_GUARDED_BY(mutex_);  // when it was begun
  std::deque<Page> pages_ FOREBAY_GUARDED_BY(mutex_);
  size_t dropped_ FOREBAY_GUARDED_BY(mutex_) = 0;  // pages before those
  size_t names_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_complete_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool has_failed_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_asking_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::vector<Waiter> waiters_ FOREBAY_GUARDED_BY(mutex_);  // for the next page; the first one asked
};

/// Keeps what upstream said of the objects on a page.
void record_page(FreshAnswers* answers, const FreshAnswers::Question& question,
                 const storage::ListRequest& request, const storage::ListPage& page);

}  // namespace forebay::cache
