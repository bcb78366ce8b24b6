#include "forebay/fuse/files/directory_listing.h"

#include <algorithm>
#include <utility>

#include "forebay/fuse/files/url_names.h"
#include "forebay/fuse/protocol/protocol.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/tree/listed_order.h"

namespace forebay::fuse {
namespace {

/// Keeps, of the objects before, those that the name goes on from.
void keep_beginnings(std::vector<std::string>& names, std::string_view name) {
  while (!names.empty() && !name.starts_with(names.back())) {
    names.pop_back();
  }
}

}  // namespace

DirectoryListing::DirectoryListing(std::shared_ptr<storage::ObjectStore> store, std::string folder,
                                   ListingOptions options)
    : store_(std::move(store)), folder_(std::move(folder)), options_(options) {
}

Result<const ListedEntry*> DirectoryListing::at(uint64_t position, const storage::CallContext& context) {
  if (position < first_) {
    restart();
  }
  while (position >= first_ + entries_.size()) {
    if (is_at_end_) {
      return nullptr;
    }
    FOREBAY_RETURN_IF_ERROR(next_page(context));
  }
  return &entries_[position - first_];
}

void DirectoryListing::release_before(uint64_t position) {
  if (position <= first_) {
    return;
  }
  const size_t released = std::min<uint64_t>(position - first_, entries_.size());
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(released));
  first_ += released;
  before_last_page_ -= std::min(released, before_last_page_);
  if (entries_.empty()) {
    entries_.shrink_to_fit();
  }
}

void DirectoryListing::rewind() {
  if (stream_ || is_at_end_) {
    restart();
  }
}

void DirectoryListing::restart() {
  stream_.reset();
  is_at_end_ = false;
  entries_.clear();
  first_ = 0;
  before_last_page_ = 0;
  open_names_.clear();
}

// A listing that failed is begun anew by the next call, so that its error is not for ever.
Status DirectoryListing::next_page(const storage::CallContext& context) {
  if (!stream_) {
    stream_ = store_->open_list({.prefix = folder_, .delimiter = "/"});
  }
  Result<storage::ListPage> page = storage::next_page_now(*stream_, context);
  if (!page.ok()) {
    restart();
    return page.status();
  }
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(before_last_page_));
  first_ += before_last_page_;
  before_last_page_ = entries_.size();
  storage::for_each_in_order(
      *page, [this](const std::string& key) { take_folder(key); },
      [this](const storage::ObjectStat& stat) { take_object(stat); });
  is_at_end_ = page->is_last;
  if (is_at_end_) {
    stream_.reset();
    open_names_ = {};
  }
  return ok_status();
}

void DirectoryListing::take_object(const storage::ObjectStat& object) {
  if (storage::marks_folder(object) || !object.key.starts_with(folder_)) {
    return;
  }
  std::string name = object.key.substr(folder_.size());
  if (!is_name(name)) {
    return;
  }
  keep_beginnings(open_names_, name);
  open_names_.push_back(name);
  entries_.push_back({std::move(name), false, object});
}

// Keys are sorted by bytes, so between an object and the folder of its name there are only names that begin
// with its own.
void DirectoryListing::take_folder(const std::string& key) {
  if (key.size() <= folder_.size() || !key.starts_with(folder_)) {
    return;
  }
  std::string name = key.substr(folder_.size(), key.size() - folder_.size() - 1);
  keep_beginnings(open_names_, name);
  const bool is_object = !open_names_.empty() && open_names_.back() == name;
  if (!is_object && is_name(name)) {
    entries_.push_back({std::move(name), true, {.key = key}});
  }
}

bool DirectoryListing::is_name(std::string_view name) {
  const bool is_sound = !name.empty() && name != "." && name != ".." && name.size() <= kMaxNameBytes &&
                        name.find('\0') == std::string_view::npos &&
                        name.find('/') == std::string_view::npos &&
                        (!options_.has_url_names || is_url_name(name));
  if (!is_sound && options_.warnings != nullptr && !std::exchange(has_warned_, true)) {
    options_.warnings->say(make_status(StatusCode::kInvalidArgument,
                                       "{}: leaves out '{}', and maybe others: no file can have such a name",
                                       store_->uri_of(folder_), name.substr(0, kMaxNameBytes)));
  }
  return is_sound;
}

}  // namespace forebay::fuse
