#include "forebay/storage/s3/s3_list.h"

#include <algorithm>
#include <string>
#include <utility>

#include "forebay/storage/s3/s3_store.h"
#include "forebay/storage/s3/s3_xml.h"

namespace forebay::storage {
namespace {

constexpr int kMostEmptyPages = 1000;  // in a row; S3 sends some where much was deleted

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

/// What an answer updates. It may come when nobody keeps the stream any more.
struct S3ListPlace {
  ListRequest request;
  std::string token;
  std::string delivered;  // the last name
  bool is_at_end = false;
};

/// Takes one page, asking again for pages without a new name.
class S3PageFetch : public std::enable_shared_from_this<S3PageFetch> {
 public:
  S3PageFetch(std::shared_ptr<S3Connection> connection, std::shared_ptr<S3ListPlace> place,
              CallContext context, ListCallback done)
      : connection_(std::move(connection)),
        place_(std::move(place)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    connection_->send(request(), context_, [self = shared_from_this()](Result<net::HttpResponse> answer) {
      Result<ListPage> page = answer.ok() ? self->take(answer->body) : answer.status();
      if (!page.ok()) {
        const bool is_named = message(page.status()).starts_with(self->uri());
        self->done_(is_named ? page.status() : annotate(page.status(), self->uri()));
      } else if (page->objects.empty() && page->prefixes.empty() && !page->is_last) {
        self->start();
      } else {
        self->done_(std::move(page));
      }
    });
  }

 private:
  std::string uri() const { return connection_->uri_of(place_->request.prefix); }

  S3Request request() const {
    const ListRequest& wanted = place_->request;
    const size_t entries = wanted.page_entries == 0 ? kMostEntriesOfPage : wanted.page_entries;
    S3Request request = {.query = {{"list-type", "2"},
                                   {"encoding-type", "url"},
                                   {"max-keys", std::to_string(std::min(entries, kMostEntriesOfPage))},
                                   {"prefix", wanted.prefix}},
                         .max_body_bytes = kMostListBytes};
    if (!wanted.delimiter.empty()) {
      request.query.emplace_back("delimiter", wanted.delimiter);
    }
    if (!wanted.start_after.empty()) {
      request.query.emplace_back("start-after", wanted.start_after);
    }
    if (!place_->token.empty()) {
      request.query.emplace_back("continuation-token", place_->token);
    }
    return request;
  }

  Result<ListPage> take(std::string_view xml) {
    FOREBAY_ASSIGN_OR_RETURN(S3ListPage list, parse_s3_list(xml));
    FOREBAY_RETURN_IF_ERROR(check_s3_page(place_->request, place_->delivered, list.page));
    if (!list.page.is_last && list.next_token == place_->token) {
      return data_loss("the listing does not get on: its continuation token is the one that was sent");
    }
    if (list.page.objects.empty() && list.page.prefixes.empty() && ++empty_pages_ > kMostEmptyPages) {
      return data_loss("the listing has {} pages without a name", empty_pages_);
    }
    place_->token = std::move(list.next_token);
    place_->is_at_end = list.page.is_last;
    if (!list.page.objects.empty()) {
      place_->delivered = std::max(place_->delivered, list.page.objects.back().key);
    }
    if (!list.page.prefixes.empty()) {
      place_->delivered = std::max(place_->delivered, list.page.prefixes.back());
    }
    return std::move(list.page);
  }

  const std::shared_ptr<S3Connection> connection_;
  const std::shared_ptr<S3ListPlace> place_;
  const CallContext context_;
  ListCallback done_;
  int empty_pages_ = 0;
};

class S3List final : public ListStream {
 public:
  S3List(std::shared_ptr<S3Connection> connection, ListRequest request)
      : connection_(std::move(connection)), place_(std::make_shared<S3ListPlace>()) {
    place_->request = std::move(request);
  }

  void next(const CallContext& context, ListCallback done) override {
    const ListRequest& request = place_->request;
    if (!request.delimiter.empty() && request.delimiter != "/") {
      done(
          invalid_argument("{}: a listing's delimiter is '/' or empty", connection_->uri_of(request.prefix)));
      return;
    }
    if (place_->is_at_end) {
      done(out_of_range("{}: the listing has ended", connection_->uri_of(request.prefix)));
      return;
    }
    std::make_shared<S3PageFetch>(connection_, place_, context, std::move(done))->start();
  }

 private:
  const std::shared_ptr<S3Connection> connection_;
  const std::shared_ptr<S3ListPlace> place_;
};

}  // namespace

Status check_s3_page(const ListRequest& request, std::string_view delivered, ListPage& page) {
  FOREBAY_RETURN_IF_ERROR(check_names(request, delivered, page.objects,
                                      [](const ObjectStat& stat) -> const std::string& { return stat.key; }));
  return check_names(request, delivered, page.prefixes,
                     [](const std::string& name) -> const std::string& { return name; });
}

std::unique_ptr<ListStream> open_s3_list(std::shared_ptr<S3Connection> connection, ListRequest request) {
  return std::make_unique<S3List>(std::move(connection), std::move(request));
}

std::unique_ptr<ListStream> S3Store::open_list(ListRequest request) {
  return open_s3_list(connection_, std::move(request));
}

}  // namespace forebay::storage
