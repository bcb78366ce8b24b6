#include "forebay/storage/http/http_list.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/http/http_index.h"
#include "forebay/storage/http/http_status.h"

namespace forebay::storage {
namespace {

constexpr size_t kEntriesOfAPage = 1000;
constexpr size_t kDeepest = 128;
constexpr char kAdvice[] =
    "name the files instead, or let the server give indexes in JSON (nginx: autoindex on; autoindex_format "
    "json;)";

/// The listing and, during a call, the page that is being filled. Calls under way keep it alive.
class Listing : public std::enable_shared_from_this<Listing> {
 public:
  Listing(std::shared_ptr<const HttpSite> site, ListRequest request)
      : site_(std::move(site)), request_(std::move(request)) {}

  void next(const CallContext& context, ListCallback done);

 private:
  /// A folder being listed. A folder's name ends with "/", so entries sort as the keys below them do.
  struct Level {
    std::vector<ObjectStat> entries;
    size_t next = 0;
  };

  Status check() const;
  std::string uri() const { return site_->uri_of(request_.prefix); }
  /// Fills the page until it is full, the listing ends or a folder's index is needed first.
  void fill();
  void fetch(std::string folder);
  Status take_index(const std::string& folder, const Result<net::HttpResponse>& response);
  Result<std::vector<ObjectStat>> entries_of(const std::string& folder,
                                             const net::HttpResponse& response) const;
  bool is_listed(const std::string& key) const;
  void finish(Status status, bool is_last);

  const std::shared_ptr<const HttpSite> site_;
  const ListRequest request_;
  std::vector<Level> levels_;
  bool is_open_ = false;
  bool is_at_end_ = false;
  CallContext context_;
  ListCallback done_;
  ListPage page_;
};

Status Listing::check() const {
  if (!request_.delimiter.empty() && request_.delimiter != "/") {
    return invalid_argument("{}: folders are listed with the delimiter '/', not '{}'", uri(),
                            request_.delimiter);
  }
  if (site_->options().base_url.empty() && request_.prefix.find('/') == std::string::npos) {
    return invalid_argument("{}: a listing needs a host and a folder", uri());
  }
  return ok_status();
}

void Listing::next(const CallContext& context, ListCallback done) {
  const Status status = is_at_end_ ? out_of_range("{}: the listing has ended", uri()) : check();
  if (!status.ok() || !is_wanted(context)) {
    done(is_wanted(context) ? status : not_wanted(context, uri()));
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

void Listing::fill() {
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
      fetch(entry.key);  // the entry counts as listed once its index is there
      return;
    }
    ++level.next;
  }
  finish(ok_status(), true);
}

void Listing::fetch(std::string folder) {
  net::HttpRequest request = site_->request("GET", folder, context_);
  request.max_body_bytes = site_->options().max_listing_bytes;
  site_->client().send(std::move(request), [self = shared_from_this(), folder = std::move(folder)](
                                               const Result<net::HttpResponse>& response) {
    const Status status = self->take_index(folder, response);
    if (status.ok()) {
      self->fill();
    } else {
      self->finish(status, false);
    }
  });
}

Status Listing::take_index(const std::string& folder, const Result<net::HttpResponse>& response) {
  const std::string uri = site_->uri_of(folder);
  if (!response.ok()) {
    return annotate(response.status(), uri);
  }
  if (levels_.size() >= kDeepest) {
    return resource_exhausted("{}: folders in more than {} levels", uri, kDeepest);
  }
  Result<std::vector<ObjectStat>> entries = entries_of(folder, *response);
  if (!entries.ok()) {
    return entries.status();
  }
  if (!levels_.empty()) {
    ++levels_.back().next;
  }
  is_open_ = true;
  levels_.push_back({.entries = *std::move(entries)});
  return ok_status();
}

Result<std::vector<ObjectStat>> Listing::entries_of(const std::string& folder,
                                                    const net::HttpResponse& response) const {
  const std::string uri = site_->uri_of(folder);
  std::vector<ObjectStat> entries;
  if (response.status == 404) {
    return entries;
  }
  if (!response.is_success()) {
    const Status status = status_of_http(response, uri);
    return status.code() == StatusCode::kPermissionDenied
               ? permission_denied("{}: the server does not list this folder; {}", uri, kAdvice)
               : status;
  }
  Result<std::vector<HttpIndexEntry>> index = parse_http_index(response.body);
  if (!index.ok()) {
    return unimplemented("{}: the server gives no index of this folder that can be read; {}", uri, kAdvice);
  }
  for (HttpIndexEntry& entry : *index) {
    const bool is_folder = entry.name.ends_with('/');
    std::string key = site_->key_of(folder, entry.name);
    const bool fits = key.starts_with(request_.prefix) || (is_folder && request_.prefix.starts_with(key));
    if (fits && !is_listed(key)) {
      entries.push_back(
          {.key = std::move(key), .size_bytes = entry.size_bytes, .modified_ns = entry.modified_ns});
    }
  }
  std::ranges::sort(entries, {}, &ObjectStat::key);
  const auto repeated = std::ranges::unique(entries, {}, &ObjectStat::key);
  entries.erase(repeated.begin(), repeated.end());
  return entries;
}

bool Listing::is_listed(const std::string& key) const {
  const std::string& after = request_.start_after;
  const bool goes_on_below = request_.delimiter.empty() && key.ends_with('/') && after.starts_with(key);
  return !after.empty() && key <= after && !goes_on_below;
}

void Listing::finish(Status status, bool is_last) {
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

class HttpList final : public ListStream {
 public:
  explicit HttpList(std::shared_ptr<Listing> listing) : listing_(std::move(listing)) {}
  void next(const CallContext& context, ListCallback done) override {
    listing_->next(context, std::move(done));
  }

 private:
  const std::shared_ptr<Listing> listing_;
};

}  // namespace

std::unique_ptr<ListStream> list_over_http(std::shared_ptr<const HttpSite> site, ListRequest request) {
  return std::make_unique<HttpList>(std::make_shared<Listing>(std::move(site), std::move(request)));
}

}  // namespace forebay::storage
