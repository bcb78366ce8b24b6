#include "forebay/cache/journal/pending_list.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "forebay/storage/errors.h"

namespace forebay::cache {

using storage::ListPage;
using storage::ObjectStat;

/// What is still to be delivered. Answers of the inner listing come one at a time.
class PendingList::Merge {
 public:
  Merge(std::vector<ObjectStat> waiting, storage::ListRequest request) : request_(std::move(request)) {
    for (ObjectStat& stat : waiting) {
      add_waiting(std::move(stat));
    }
  }

  bool is_inner_over() const { return is_inner_over_; }
  bool is_over() const { return is_over_; }
  bool has_page() const {
    return is_inner_over_ || (request_.page_entries > 0 && ready_.size() >= request_.page_entries);
  }

  /// Takes a page of the inner listing, and what waits up to its end.
  void take(ListPage page) {
    std::string end;
    for (ObjectStat& object : page.objects) {
      end = std::max(end, object.key);
      std::string key = object.key;
      ready_.insert_or_assign(std::move(key), std::move(object));
    }
    for (std::string& prefix : page.prefixes) {
      end = std::max(end, prefix);
      ready_.insert_or_assign(std::move(prefix), std::nullopt);
    }
    is_inner_over_ = page.is_last;
    const auto behind = is_inner_over_ ? waiting_.end() : waiting_.upper_bound(end);
    for (auto each = waiting_.begin(); each != behind; ++each) {
      ready_.insert_or_assign(each->first, std::move(each->second));
    }
    waiting_.erase(waiting_.begin(), behind);
  }

  ListPage give() {
    ListPage page;
    const size_t most = request_.page_entries > 0 ? request_.page_entries : ready_.size();
    for (size_t i = 0; i < most && !ready_.empty(); ++i) {
      auto first = ready_.extract(ready_.begin());
      if (first.mapped()) {
        page.objects.push_back(*std::move(first.mapped()));
      } else {
        page.prefixes.push_back(std::move(first.key()));
      }
    }
    is_over_ = is_inner_over_ && ready_.empty();
    page.is_last = is_over_;
    return page;
  }

 private:
  void add_waiting(ObjectStat stat) {
    std::string name = stat.key;
    std::optional<ObjectStat> object = std::move(stat);
    const size_t slash = request_.delimiter.empty() ? std::string::npos
                                                    : name.find(request_.delimiter, request_.prefix.size());
    if (slash != std::string::npos) {
      name.resize(slash + request_.delimiter.size());
      object.reset();
    }
    if (name > request_.start_after) {
      waiting_.insert_or_assign(std::move(name), std::move(object));
    }
  }

  using Entries = std::map<std::string, std::optional<ObjectStat>>;  // nothing: a folded prefix

  const storage::ListRequest request_;
  Entries waiting_;
  Entries ready_;
  bool is_inner_over_ = false;
  bool is_over_ = false;
};

PendingList::PendingList(std::unique_ptr<storage::ListStream> inner, std::vector<ObjectStat> waiting,
                         storage::ListRequest request)
    : inner_(std::move(inner)), merge_(std::make_shared<Merge>(std::move(waiting), std::move(request))) {
}

void PendingList::next(const storage::CallContext& context, storage::ListCallback done) {
  if (merge_->is_over()) {
    done(out_of_range("the listing is over"));
    return;
  }
  if (merge_->has_page()) {
    done(merge_->give());
    return;
  }
  inner_->next(context, [merge = merge_, done = std::move(done)](Result<ListPage> page) mutable {
    if (!page.ok()) {
      done(page.status());
      return;
    }
    merge->take(*std::move(page));
    done(merge->give());
  });
}

}  // namespace forebay::cache
