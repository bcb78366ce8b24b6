#include "forebay/cache/store/cached_list.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {

using storage::CallContext;
using storage::ListPage;
using storage::ListRequest;

namespace {

std::string name_of_request(const ListRequest& request) {
  // Lengths keep the texts apart, whatever bytes they contain.
  return fmt::format("{} {} {} {} {}{}{}", request.prefix.size(), request.delimiter.size(),
                     request.page_entries, request.names_only, request.prefix, request.delimiter,
                     request.start_after);
}

class CachedList final : public storage::ListStream {
 public:
  CachedList(std::shared_ptr<ListAnswers> lists, ListRequest request)
      : lists_(std::move(lists)), request_(std::move(request)) {}

  void next(const CallContext& context, storage::ListCallback done) override {
    if (!is_wanted(context)) {
      done(not_wanted(context, lists_->upstream()->uri_of(request_.prefix)));
    } else if (own_) {
      next_alone(context, std::move(done));
    } else {
      next_shared(context, std::move(done));
    }
  }

 private:
  void next_shared(const CallContext& context, storage::ListCallback done) {
    if (!shared_) {
      shared_ = lists_->open(request_);
    }
    shared_->page(next_page_, context,
                  [this, context, done = std::move(done)](Result<SharedListing::Page> page) mutable {
                    if (!page.ok()) {
                      done(page.status());  // may destroy this stream, as all calls of it
                    } else if (!*page) {
                      next_alone(context, std::move(done));
                    } else {
                      ++next_page_;
                      note_last(**page);
                      done(ListPage(**page));
                    }
                  });
  }

  /// Behind what has been delivered.
  void next_alone(const CallContext& context, storage::ListCallback done) {
    if (!own_) {
      own_ = lists_->upstream()->open_list(request_);
    }
    const FreshAnswers::Question question = lists_->answers().ask();
    own_->next(context, [this, question, done = std::move(done)](Result<ListPage> page) mutable {
      if (page.ok()) {
        record_page(&lists_->answers(), question, request_, *page);
      }
      done(std::move(page));
    });
  }

  void note_last(const ListPage& page) {
    if (std::string last = last_name_on(page); !last.empty()) {
      request_.start_after = std::move(last);
    }
  }

  const std::shared_ptr<ListAnswers> lists_;
  ListRequest request_;  // from what has been delivered on
  std::shared_ptr<SharedListing> shared_;
  size_t next_page_ = 0;
  std::unique_ptr<storage::ListStream> own_;
};

}  // namespace

std::string last_name_on(const ListPage& page) {
  const std::string object = page.objects.empty() ? std::string() : page.objects.back().key;
  return page.prefixes.empty() ? object : std::max(object, page.prefixes.back());
}

std::shared_ptr<SharedListing> ListAnswers::open(const ListRequest& request) {
  const std::string name = name_of_request(request);
  const int64_t now_ns = clock_.now_ns();
  const MutexLock lock(mutex_);
  const auto known = listings_.find(name);
  if (known != listings_.end() && known->second->may_be_joined(now_ns, trusted_ns_)) {
    return known->second;
  }
  make_room(now_ns);
  auto opened = std::make_shared<SharedListing>(upstream_, answers_, request);
  listings_.insert_or_assign(name, opened);
  return opened;
}

void ListAnswers::make_room(int64_t now_ns) {
  std::erase_if(listings_,
                [&](const auto& each) { return !each.second->may_be_joined(now_ns, trusted_ns_); });
  size_t names = 0;
  for (const auto& [name, listing] : listings_) {
    names += listing->names();
  }
  if (listings_.size() >= kMaxListings || names > kMaxNames) {
    listings_.clear();  // who reads one keeps it
  }
}

void ListAnswers::forget_all() {
  const MutexLock lock(mutex_);
  listings_.clear();
}

std::unique_ptr<storage::ListStream> open_cached_list(std::shared_ptr<ListAnswers> lists,
                                                      ListRequest request) {
  return std::make_unique<CachedList>(std::move(lists), std::move(request));
}

}  // namespace forebay::cache
