#include "forebay/storage/remote/token_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace forebay::storage {
namespace {

constexpr int kMaxEmptyPages = 1000;  // in a row; some are sent where much was deleted

/// Checks the names of one kind; `name` gives that of an entry.
template <class Entries, class Name>
Status check_names(const ListRequest& request, std::string_view delivered, Entries& entries, Name name) {
  std::string_view before;
  for (const auto& entry : entries) {
    const std::string_view now = name(entry);
    const bool is_repeated = delivered.starts_with(now);  // a prefix that what was delivered is folded into
    if (!now.starts_with(request.prefix)) {
      return data_loss("the listing has a name without the prefix '{}'", request.prefix);
    }
    if (now <= before || (now <= delivered && !is_repeated)) {
      return data_loss("the server does not sort its listings by bytes, so they cannot be continued");
    }
    before = now;
  }
  std::erase_if(entries, [&](const auto& entry) {
    return name(entry) <= delivered || name(entry) <= request.start_after;
  });
  return ok_status();
}

/// Leaves the first `most` names in the page, and returns what comes behind them.
ListPage cut_page(ListPage& page, size_t most) {
  size_t objects = 0;
  size_t prefixes = 0;
  while (objects + prefixes < most) {
    const bool takes_object =
        prefixes == page.prefixes.size() ||
        (objects < page.objects.size() && page.objects[objects].key < page.prefixes[prefixes]);
    ++(takes_object ? objects : prefixes);
  }
  const auto object = page.objects.begin() + static_cast<std::ptrdiff_t>(objects);
  const auto prefix = page.prefixes.begin() + static_cast<std::ptrdiff_t>(prefixes);
  ListPage rest;
  rest.objects.assign(std::make_move_iterator(object), std::make_move_iterator(page.objects.end()));
  rest.prefixes.assign(std::make_move_iterator(prefix), std::make_move_iterator(page.prefixes.end()));
  page.objects.erase(object, page.objects.end());
  page.prefixes.erase(prefix, page.prefixes.end());
  return rest;
}

/// What an answer updates. It may come when nobody keeps the stream any more.
struct TokenListPlace {
  std::string uri;
  ListRequest request;
  FetchTokenPage fetch;
  std::string token;
  std::string delivered;  // the last name
  ListPage surplus;       // names beyond what a page was to have: some servers send more
  bool is_at_end = false;
};

/// The page as the caller wants it: no longer than asked for.
ListPage fitted_page(TokenListPlace& place, ListPage page) {
  const size_t most = place.request.page_entries;
  if (most > 0 && page.objects.size() + page.prefixes.size() > most) {
    place.surplus = cut_page(page, most);
    page.is_last = false;
  }
  return page;
}

/// Takes one page, asking again for pages without a new name.
class TokenPageFetch : public std::enable_shared_from_this<TokenPageFetch> {
 public:
  TokenPageFetch(std::shared_ptr<TokenListPlace> place, CallContext context, ListCallback done)
      : place_(std::move(place)), context_(std::move(context)), done_(std::move(done)) {}

  void start() {
    place_->fetch(place_->request, place_->token, context_,
                  [self = shared_from_this()](Result<TokenPage> given) { self->take(std::move(given)); });
  }

 private:
  void take(Result<TokenPage> given) {
    Result<ListPage> page = given.ok() ? checked(*std::move(given)) : given.status();
    if (!page.ok()) {
      const bool is_named = message(page.status()).starts_with(place_->uri);
      done_(is_named ? page.status() : annotate(page.status(), place_->uri));
    } else if (page->objects.empty() && page->prefixes.empty() && !page->is_last) {
      start();
    } else {
      done_(std::move(page));
    }
  }

  Result<ListPage> checked(TokenPage given) {
    const bool came_empty = given.page.objects.empty() && given.page.prefixes.empty();
    FOREBAY_RETURN_IF_ERROR(check_listed_page(place_->request, place_->delivered, given.page));
    given.page.is_last = given.next_token.empty();
    if (!given.page.is_last && given.next_token == place_->token) {
      return data_loss("the listing does not get on: its continuation token is the one that was sent");
    }
    if (came_empty && ++empty_pages_ > kMaxEmptyPages) {
      return data_loss("the listing has {} pages without a name", empty_pages_);
    }
    place_->token = std::move(given.next_token);
    place_->is_at_end = given.page.is_last;
    if (!given.page.objects.empty()) {
      place_->delivered = std::max(place_->delivered, given.page.objects.back().key);
    }
    if (!given.page.prefixes.empty()) {
      place_->delivered = std::max(place_->delivered, given.page.prefixes.back());
    }
    return fitted_page(*place_, std::move(given.page));
  }

  const std::shared_ptr<TokenListPlace> place_;
  const CallContext context_;
  ListCallback done_;
  int empty_pages_ = 0;
};

class TokenList final : public ListStream {
 public:
  explicit TokenList(std::shared_ptr<TokenListPlace> place) : place_(std::move(place)) {}

  void next(const CallContext& context, ListCallback done) override {
    const ListRequest& request = place_->request;
    if (!request.delimiter.empty() && request.delimiter != "/") {
      done(invalid_argument("{}: a listing's delimiter is '/' or empty", place_->uri));
    } else if (!place_->surplus.objects.empty() || !place_->surplus.prefixes.empty()) {
      next_of_surplus(context, std::move(done));
    } else if (place_->is_at_end) {
      done(out_of_range("{}: the listing has ended", place_->uri));
    } else {
      std::make_shared<TokenPageFetch>(place_, context, std::move(done))->start();
    }
  }

 private:
  void next_of_surplus(const CallContext& context, ListCallback done) {
    if (!is_wanted(context)) {
      done(not_wanted(context, place_->uri));
      return;
    }
    ListPage page = std::exchange(place_->surplus, {});
    page.is_last = place_->is_at_end;
    done(fitted_page(*place_, std::move(page)));
  }

  const std::shared_ptr<TokenListPlace> place_;
};

}  // namespace

Status check_listed_page(const ListRequest& request, std::string_view delivered, ListPage& page) {
  FOREBAY_RETURN_IF_ERROR(check_names(request, delivered, page.objects,
                                      [](const ObjectStat& stat) -> const std::string& { return stat.key; }));
  return check_names(request, delivered, page.prefixes,
                     [](const std::string& name) -> const std::string& { return name; });
}

std::unique_ptr<ListStream> open_token_list(std::string uri, ListRequest request, FetchTokenPage fetch) {
  auto place = std::make_shared<TokenListPlace>();
  place->uri = std::move(uri);
  place->request = std::move(request);
  place->fetch = std::move(fetch);
  return std::make_unique<TokenList>(std::move(place));
}

}  // namespace forebay::storage
