// Azure's answers, which are XML. What is larger or stranger than an answer can be is data_loss; no text from
// outside is copied into an error but the service's own code and message, cut short.
//
// Source: Microsoft, "Blob Service REST API".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/http/service_error.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/token_list.h"

namespace forebay::storage {

inline constexpr size_t kMaxAzEntriesOfPage = 5000;
/// Limit of a page of a listing.
inline constexpr size_t kMaxAzListBytes = 32 << 20;
/// Limit of a list of an upload's blocks: 50,000 of them.
inline constexpr size_t kMaxAzBlockListBytes = 8 << 20;
/// Limit of every other answer.
inline constexpr size_t kMaxAzXmlBytes = 256 << 10;

/// What the service says of a failure: in a header, or where that is missing in the body.
ServiceFailure az_failure(const net::HttpResponse& answer);

/// The error for an answer without success. The service's code decides where the HTTP status is not enough:
/// already_exists where a blob had to be absent, `aborted` where a condition failed.
Status az_error(const net::HttpResponse& answer, std::string_view uri);

/// A page of List Blobs. Names are decoded; versions are entity tags without quotes.
Result<TokenPage> parse_az_list(std::string_view xml);

/// The committed blocks of a blob, in order, by their ids.
Result<std::vector<std::string>> parse_az_blocks(std::string_view xml);

/// The body of Put Block List.
std::string az_block_list_xml(const std::vector<std::string>& ids);

}  // namespace forebay::storage
