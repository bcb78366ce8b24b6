#include "forebay/storage/remote/folder_list.h"

#include <algorithm>
#include <utility>

namespace forebay::storage {
namespace {

constexpr size_t kEntriesOfAPage = 1000;
constexpr size_t kDeepest = 128;

/// The listing and, during a call, the page that is being filled. Calls under way keep it alive.
class FolderListing : public std::enable_shared_from_this<FolderListing> {
 public:
  FolderListing(std::string uri, ListRequest request, FetchFolder fetch)
      : uri_(std::move(uri)), request_(std::move(request)), fetch_(std::move(fetch)) {}

  void next(const CallContext& context, ListCallback done);

 private:
  /// A folder being listed. A folder's name ends with "/", so entries sort as the keys below them do.
  struct Level {
    FolderEntries entries;
    size_t next = 0;
  };

  Status check() const;
  /// Fills the page until it is full, the listing ends or a folder's entries are needed first.
  void fill();
  void fetch(const std::string& folder);
  void take(FolderEntries entries);
  FolderEntries wanted(FolderEntries entries) const;
  bool is_listed(const std::string& key) const;
  void finish(Status status, bool is_last);

  const std::string uri_;
  const ListRequest request_;
  const FetchFolder fetch_;
  std::vector<Level> levels_;
  bool is_open_ = false;
  bool is_at_end_ = false;
  CallContext context_;
  ListCallback done_;
  ListPage page_;
};

Status FolderListing::check() const {
  if (is_at_end_) {
    return out_of_range("{}: the listing has ended", uri_);
  }
  return request_.delimiter.empty() || request_.delimiter == "/"
             ? ok_status()
             : invalid_argument("{}: folders are listed with the delimiter '/', not '{}'", uri_,
                                request_.delimiter);
}

void FolderListing::next(const CallContext& context, ListCallback done) {
  const Status status = check();
  if (!status.ok() || !is_wanted(context)) {
    done(is_wanted(context) ? status : not_wanted(context, uri_));
    return;
  }
  context_ = context;
  done_ = std::move(done);
  if (is_open_) {
    fill();
    return;
  }
  fetch(request_.prefix.substr(0, request_.prefix.rfind('/') + 1));
}

void FolderListing::fill() {
  const size_t page_entries = request_.page_entries == 0 ? kEntriesOfAPage : request_.page_entries;
  while (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.next == level.entries.size()) {
      levels_.pop_back();
      continue;
    }
    if (page_.objects.size() + page_.prefixes.size() == page_entries) {
      finish(ok_status(), false);
      return;
    }
    ObjectStat& entry = level.entries[level.next];
    if (!entry.key.ends_with('/')) {
      page_.objects.push_back(std::move(entry));
    } else if (!request_.delimiter.empty()) {
      page_.prefixes.push_back(std::move(entry.key));
    } else {
      fetch(entry.key);  // the entry counts as listed once its own entries are there
      return;
    }
    ++level.next;
  }
  finish(ok_status(), true);
}

void FolderListing::fetch(const std::string& folder) {
  if (levels_.size() >= kDeepest) {
    finish(resource_exhausted("{}: '{}' lies more than {} levels deep", uri_, folder, kDeepest), false);
    return;
  }
  fetch_(folder, context_, [self = shared_from_this()](Result<FolderEntries> entries) {
    if (!entries.ok()) {
      self->finish(entries.status(), false);
      return;
    }
    self->take(*std::move(entries));
    self->fill();
  });
}

void FolderListing::take(FolderEntries entries) {
  if (!levels_.empty()) {
    ++levels_.back().next;
  }
  is_open_ = true;
  levels_.push_back({.entries = wanted(std::move(entries))});
}

FolderEntries FolderListing::wanted(FolderEntries entries) const {
  std::erase_if(entries, [&](const ObjectStat& entry) {
    const bool is_folder = entry.key.ends_with('/');
    const bool fits =
        entry.key.starts_with(request_.prefix) || (is_folder && request_.prefix.starts_with(entry.key));
    return !fits || is_listed(entry.key);
  });
  std::ranges::sort(entries, {}, &ObjectStat::key);
  const auto repeated = std::ranges::unique(entries, {}, &ObjectStat::key);
  entries.erase(repeated.begin(), repeated.end());
  return entries;
}

bool FolderListing::is_listed(const std::string& key) const {
  const std::string& after = request_.start_after;
  const bool goes_on_below = request_.delimiter.empty() && key.ends_with('/') && after.starts_with(key);
  return !after.empty() && key <= after && !goes_on_below;
}

void FolderListing::finish(Status status, bool is_last) {
  ListCallback done = std::exchange(done_, nullptr);
  context_ = {};
  if (!status.ok()) {
    done(std::move(status));  // what the page holds goes with the next one
    return;
  }
  ListPage page = std::exchange(page_, {});
  page.is_last = is_last;
  is_at_end_ = is_last;
  done(std::move(page));
}

class FolderList final : public ListStream {
 public:
  explicit FolderList(std::shared_ptr<FolderListing> listing) : listing_(std::move(listing)) {}
  void next(const CallContext& context, ListCallback done) override {
    listing_->next(context, std::move(done));
  }

 private:
  const std::shared_ptr<FolderListing> listing_;
};

}  // namespace

std::unique_ptr<ListStream> open_folder_list(std::string uri, ListRequest request, FetchFolder fetch) {
  return std::make_unique<FolderList>(
      std::make_shared<FolderListing>(std::move(uri), std::move(request), std::move(fetch)));
}

}  // namespace forebay::storage
