#include "forebay/cache/store/cached_list.h"

#include <utility>

namespace forebay::cache {

using storage::CallContext;
using storage::ListPage;
using storage::ListRequest;

namespace {

constexpr size_t kMostNamesInAll = 65'536;

std::string name_of_request(const ListRequest& request) {
  // Lengths keep the texts apart, whatever bytes they contain.
  return fmt::format("{} {} {} {} {}{}{}", request.prefix.size(), request.delimiter.size(),
                     request.page_entries, request.names_only, request.prefix, request.delimiter,
                     request.start_after);
}

size_t names_in(const ListPage& page) {
  return page.objects.size() + page.prefixes.size();
}

size_t names_in(const ListAnswers::Pages& pages) {
  size_t names = 1;  // an empty answer counts, too
  for (const ListPage& page : pages) {
    names += names_in(page);
  }
  return names;
}

class CachedList final : public storage::ListStream {
 public:
  CachedList(ListSource source, ListRequest request)
      : source_(std::move(source)), request_(std::move(request)) {}

  void next(const CallContext& context, storage::ListCallback done) override {
    if (!is_wanted(context)) {
      done(not_wanted(context, source_.upstream->uri_of(request_.prefix)));
      return;
    }
    if (!inner_ && !known_) {
      known_ = source_.lists->find(request_);
    }
    if (known_ && next_page_ < known_->size()) {
      done((*known_)[next_page_++]);
    } else if (known_) {
      done(out_of_range("{}: the listing has ended", source_.upstream->uri_of(request_.prefix)));
    } else {
      next_upstream(context, std::move(done));
    }
  }

 private:
  void next_upstream(const CallContext& context, storage::ListCallback done) {
    const FreshAnswers::Question question = source_.answers->ask();
    if (!inner_) {
      first_ = question;
      inner_ = source_.upstream->open_list(request_);
    }
    inner_->next(context, [this, question, done = std::move(done)](Result<ListPage> page) mutable {
      if (page.ok()) {
        take(question, *page);
      }
      done(std::move(page));  // may destroy this stream
    });
  }

  void take(const FreshAnswers::Question& question, const ListPage& page) {
    for (const storage::ObjectStat& stat : page.objects) {
      if (!request_.names_only) {
        source_.answers->record(question, stat);
      }
    }
    is_short_ = is_short_ && names_in(pages_) + names_in(page) <= ListAnswers::kMostNames;
    if (!is_short_) {
      pages_.clear();
      return;
    }
    pages_.push_back(page);
    if (page.is_last && source_.answers->still_counts(first_)) {
      source_.lists->record(request_, first_.asked_ns, std::move(pages_));
      is_short_ = false;
    }
  }

  const ListSource source_;
  const ListRequest request_;
  std::shared_ptr<const ListAnswers::Pages> known_;
  size_t next_page_ = 0;
  std::unique_ptr<storage::ListStream> inner_;
  FreshAnswers::Question first_;
  ListAnswers::Pages pages_;
  bool is_short_ = true;
};

}  // namespace

std::shared_ptr<const ListAnswers::Pages> ListAnswers::find(const ListRequest& request) const {
  const std::string name = name_of_request(request);
  const int64_t now_ns = clock_.now_ns();
  const MutexLock lock(mutex_);
  const auto answer = answers_.find(name);
  const bool is_known = answer != answers_.end() && now_ns - answer->second.asked_ns < trusted_ns_;
  return is_known ? answer->second.pages : nullptr;
}

void ListAnswers::record(const ListRequest& request, int64_t asked_ns, Pages pages) {
  const size_t names = names_in(pages);
  const MutexLock lock(mutex_);
  if (names_ + names > kMostNamesInAll) {
    answers_.clear();
    names_ = 0;
  }
  names_ += names;
  Answer& answer = answers_[name_of_request(request)];
  names_ -= answer.pages ? names_in(*answer.pages) : 0;
  answer = {asked_ns, std::make_shared<const Pages>(std::move(pages))};
}

void ListAnswers::forget_all() {
  const MutexLock lock(mutex_);
  answers_.clear();
  names_ = 0;
}

std::unique_ptr<storage::ListStream> open_cached_list(ListSource source, ListRequest request) {
  return std::make_unique<CachedList>(std::move(source), std::move(request));
}

}  // namespace forebay::cache
