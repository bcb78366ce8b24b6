#include "forebay/cache/client/host_list.h"

#include <utility>

#include "forebay/cache/store/cached_list.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ListPage;

HostList::~HostList() {
  end();
}

void HostList::end() {
  if (listing_ != 0) {
    place_.client->end_list(std::exchange(listing_, 0));
  }
}

void HostList::next(const CallContext& context, storage::ListCallback done) {
  if (!is_wanted(context)) {
    done(not_wanted(context, uri_));
  } else if (is_over_) {
    done(out_of_range("{}: the listing has ended", uri_));
  } else if (own_ || has_failed_) {
    next_alone(context, std::move(done));
  } else if (listing_ != 0 || host_->host().is_settled()) {
    next_hosted(context, std::move(done));
  } else {
    // Not sooner, though the call end meanwhile: the stream may go once its caller is answered.
    host_->host().once_settled(
        [this, context, done = std::move(done)]() mutable { next_hosted(context, std::move(done)); });
  }
}

void HostList::next_hosted(const CallContext& context, storage::ListCallback done) {
  if (listing_ == 0) {
    place_ = host_->now();
  }
  if (!place_.client || !place_.client->is_usable()) {
    next_alone(context, std::move(done));
    return;
  }
  auto taken = [this, context, done = std::move(done)](Result<HostListPage> page) mutable {
    take(context, std::move(page), std::move(done));
  };
  if (listing_ != 0) {
    place_.client->next_page(listing_, uri_, context, std::move(taken));
    return;
  }
  listing_ = place_.client->next_number();
  HostListRequest asked = {.store = place_.store, .uri = uri_, .delimiter = request_.delimiter};
  if (!request_.start_after.empty()) {
    asked.start_after = request_.start_after.substr(request_.prefix.size());
  }
  asked.page_entries = request_.page_entries;
  asked.names_only = request_.names_only;
  place_.client->list(listing_, std::move(asked), context, std::move(taken));
}

void HostList::take(const CallContext& context, Result<HostListPage> page, storage::ListCallback done) {
  if (!page.ok()) {
    has_failed_ = true;
    end();
    const bool may_go_on =
        is_cache_trouble(page.status()) || page.status().code() == StatusCode::kResourceExhausted;
    if (may_go_on) {
      next_alone(context, std::move(done));
    } else {
      done(page.status());
    }
    return;
  }
  ListPage full;
  full.is_last = page->is_last;
  is_over_ = page->is_last;
  for (HostListEntry& entry : page->objects) {
    entry.stat.key = request_.prefix + entry.name;
    full.objects.push_back(std::move(entry.stat));
  }
  for (const std::string& prefix : page->prefixes) {
    full.prefixes.push_back(request_.prefix + prefix);
  }
  if (std::string last = last_name_on(full); !last.empty()) {
    request_.start_after = std::move(last);
  }
  done(std::move(full));  // may destroy this stream
}

void HostList::next_alone(const CallContext& context, storage::ListCallback done) {
  if (!own_) {
    own_ = upstream_->open_list(request_);
  }
  own_->next(context, std::move(done));
}

}  // namespace forebay::cache
