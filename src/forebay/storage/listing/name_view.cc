#include "forebay/storage/listing/name_view.h"

#include <algorithm>
#include <utility>

namespace forebay::storage {
namespace {

constexpr size_t kEntriesOfAPage = 1000;

/// The least name behind all that begin with `folder`, which ends with a slash.
std::string behind(std::string folder) {
  folder.back() = '/' + 1;
  return folder;
}

class ViewList final : public ListStream {
 public:
  ViewList(std::shared_ptr<const NameView> view, ListRequest request, std::string uri)
      : view_(std::move(view)), request_(std::move(request)), uri_(std::move(uri)) {}

  void next(const CallContext& context, ListCallback done) override {
    if (!is_wanted(context)) {
      done(not_wanted(context, uri_));
      return;
    }
    Result<ListPage> page = next_page();
    done(page.ok() ? std::move(page) : annotate(page.status(), uri_));
  }

 private:
  Result<ListPage> next_page() {
    if (is_at_end_) {
      return out_of_range("the listing has ended");
    }
    if (!request_.delimiter.empty() && request_.delimiter != "/") {
      return invalid_argument("a listing's delimiter is '/' or empty");
    }
    if (!entries_) {
      const std::string after = request_.start_after.empty() ? "" : request_.start_after + '\0';
      FOREBAY_RETURN_IF_ERROR(go_to(std::max(request_.prefix, after)));
    }
    const size_t most = request_.page_entries == 0 ? kEntriesOfAPage : request_.page_entries;
    ListPage page;
    while (is_inside() && page.objects.size() + page.prefixes.size() < most) {
      FOREBAY_RETURN_IF_ERROR(take(page));
    }
    is_at_end_ = !is_inside();
    page.is_last = is_at_end_;
    return page;
  }

  Status go_to(const std::string& key) {
    FOREBAY_ASSIGN_OR_RETURN(entries_, view_->entries(key));
    return ok_status();
  }
  bool is_inside() const {
    return entries_->entry() != nullptr && entries_->entry()->key.starts_with(request_.prefix);
  }

  Status take(ListPage& page) {
    const NamedEntry& entry = *entries_->entry();
    const size_t slash =
        request_.delimiter.empty() ? std::string_view::npos : entry.key.find('/', request_.prefix.size());
    if (slash == std::string_view::npos) {
      page.objects.push_back(entry.stat());
      return entries_->next();
    }
    std::string folder(entry.key.substr(0, slash + 1));
    if (folder > request_.start_after) {
      page.prefixes.push_back(folder);
    }
    return go_to(behind(std::move(folder)));
  }

  const std::shared_ptr<const NameView> view_;
  const ListRequest request_;
  const std::string uri_;
  std::unique_ptr<EntryStream> entries_;
  bool is_at_end_ = false;
};

}  // namespace

Result<std::shared_ptr<const NameView>> NameView::open(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const NameSnapshot> base, NameSnapshot::open(path));
  Result<std::shared_ptr<const NameSnapshot>> changes = NameSnapshot::open(changes_path(path));
  if (!changes.ok() && changes.status().code() != StatusCode::kNotFound) {
    return changes.status();
  }
  const bool fits = changes.ok() && (*changes)->facts().base == base->number();
  return std::make_shared<const NameView>(std::move(base), fits ? *std::move(changes) : nullptr);
}

Result<bool> NameView::find(std::string_view key, ObjectStat& stat) const {
  NameBlockReader reader;
  NamedEntry entry;
  for (const NameSnapshot* const part : {changes_.get(), base_.get()}) {
    if (part == nullptr) {
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(const bool is_there, part->find(key, reader, entry));
    if (is_there) {
      stat.size_bytes = entry.size_bytes;
      stat.modified_ns = entry.modified_ns;
      stat.version = entry.version;
      return !entry.is_removed;
    }
  }
  return false;
}

Result<std::unique_ptr<EntryStream>> NameView::entries(std::string_view from) const {
  std::vector<std::shared_ptr<const NameSnapshot>> parts = {base_};
  if (changes_) {
    parts.push_back(changes_);
  }
  return merge_snapshots(std::move(parts), true, from);
}

std::unique_ptr<ListStream> list_view(std::shared_ptr<const NameView> view, ListRequest request,
                                      std::string uri) {
  return std::make_unique<ViewList>(std::move(view), std::move(request), std::move(uri));
}

}  // namespace forebay::storage
