#include "forebay/cache/store/shared_listing.h"

#include <utility>

namespace forebay::cache {

using storage::CallContext;
using storage::ListPage;

namespace {

size_t names_on(const ListPage& page) {
  return page.objects.size() + page.prefixes.size() + 1;  // an empty page counts, too
}

/// Whether an error says something about the caller that asked, and nothing to one that has waited with it.
bool is_of_caller(const Status& status, const CallContext& asked, const CallContext& waited) {
  return status.code() == StatusCode::kCancelled || status.code() == StatusCode::kDeadlineExceeded ||
         (status.code() == StatusCode::kUnavailable && waited.is_for_read && !asked.is_for_read);
}

}  // namespace

void record_page(FreshAnswers* answers, const FreshAnswers::Question& question,
                 const storage::ListRequest& request, const ListPage& page) {
  for (const storage::ObjectStat& stat : page.objects) {
    if (!request.names_only) {
      answers->record(question, stat);
    }
  }
}

bool SharedListing::may_be_joined(int64_t now_ns, int64_t trusted_ns) const {
  const MutexLock lock(mutex_);
  if (has_failed_ || dropped_ > 0) {
    return false;
  }
  return !first_ || (now_ns - first_->asked_ns < trusted_ns && answers_->still_counts(*first_));
}

size_t SharedListing::names() const {
  const MutexLock lock(mutex_);
  return names_;
}

/// Whether the page under way is tried again for longer than this caller would wait for it.
bool SharedListing::waits_too_long_for(const CallContext& context) const {
  return is_asking_ && waiters_.front().context.is_for_read && !context.is_for_read;
}

void SharedListing::page(size_t number, const CallContext& context, PageCallback done) {
  Result<Page> known = Page();
  bool asks = false;
  {
    const MutexLock lock(mutex_);
    const bool is_next = number == dropped_ + pages_.size();
    if (is_next && !is_complete_ && !has_failed_ && !waits_too_long_for(context)) {
      waiters_.push_back({context, std::move(done)});
      asks = !std::exchange(is_asking_, true);
      if (!asks) {
        return;
      }
    } else if (number >= dropped_ && number < dropped_ + pages_.size()) {
      known = pages_[number - dropped_];
    } else if (is_complete_ && number >= dropped_) {
      known = out_of_range("{}: the listing has ended", upstream_->uri_of(request_.prefix));
    }
  }
  if (asks) {
    ask(context);
  } else {
    done(std::move(known));
  }
}

void SharedListing::ask(const CallContext& context) {
  const FreshAnswers::Question question = answers_->ask();
  {
    const MutexLock lock(mutex_);
    if (!first_) {
      first_ = question;
    }
  }
  if (!stream_) {
    stream_ = upstream_->open_list(request_);
  }
  stream_->next(context, [self = shared_from_this(), question](Result<ListPage> page) {
    self->landed(question, std::move(page));
  });
}

Result<SharedListing::Page> SharedListing::keep(Result<ListPage> page) {
  is_asking_ = false;
  if (!page.ok()) {
    has_failed_ = true;
    return page.status();
  }
  is_complete_ = page->is_last;
  names_ += names_on(*page);
  pages_.push_back(std::make_shared<const ListPage>(*std::move(page)));
  while (names_ > kMaxNames && pages_.size() > 1) {
    names_ -= names_on(*pages_.front());
    pages_.pop_front();
    ++dropped_;
  }
  return pages_.back();
}

void SharedListing::landed(const FreshAnswers::Question& question, Result<ListPage> page) {
  if (page.ok()) {
    record_page(answers_.get(), question, request_, *page);
  }
  std::vector<Waiter> waiters;
  Result<Page> kept = Page();
  {
    const MutexLock lock(mutex_);
    kept = keep(std::move(page));
    waiters.swap(waiters_);
  }
  for (size_t i = 0; i < waiters.size(); ++i) {
    Waiter& waiter = waiters[i];
    if (i > 0 && !is_wanted(waiter.context)) {
      waiter.done(not_wanted(waiter.context, upstream_->uri_of(request_.prefix)));
    } else if (i > 0 && is_of_caller(kept.status(), waiters[0].context, waiter.context)) {
      waiter.done(Page());
    } else {
      waiter.done(kept);
    }
  }
}

}  // namespace forebay::cache
