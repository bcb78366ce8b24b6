// Listings of stores that give pages, each with a token for the next one. What such a store sends is held
// against what a listing promises.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// A page as the store gave it.
struct TokenPage {
  ListPage page;
  std::string next_token;  // of the next page; empty for the last
};

/// Asks for the page of `token`, which is empty for the first. Errors need not name the listing.
using FetchTokenPage =
    std::function<void(const ListRequest& request, const std::string& token, const CallContext& context,
                       absl::AnyInvocable<void(Result<TokenPage>)> done)>;

/// `uri` names the listing in errors. Pages without a new name are passed over; data_loss for listings that
/// do not get on, or whose names are not those asked for, in order. The delimiter is "/" or empty.
std::unique_ptr<ListStream> open_token_list(std::string uri, ListRequest request, FetchTokenPage fetch);

/// Makes a page what the store's contract says: what sorts up to the request's `start_after` is left out, and
/// so is a folded prefix that was delivered before or that `start_after` lies in (some stores list it once
/// more). `delivered` is the last name of the pages before. data_loss where names lack the prefix or are not
/// sorted: such a listing cannot be continued.
Status check_listed_page(const ListRequest& request, std::string_view delivered, ListPage& page);

}  // namespace forebay::storage
