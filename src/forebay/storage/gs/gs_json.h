// Answers of Google Cloud Storage's JSON interface. What is larger or stranger than an answer can be is
// data_loss; no text from outside is copied into an error but the service's own code and message, cut short.
//
// Source: Google, "Cloud Storage JSON API", reference of Objects and of status codes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "forebay/storage/http/service_error.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/token_list.h"

namespace forebay::storage {

/// Limit of a page of a listing: a thousand names of a thousand bytes, each byte escaped.
inline constexpr size_t kMaxGsListBytes = 8 << 20;
inline constexpr size_t kMaxGsEntriesOfPage = 1000;
/// Limit of every other answer.
inline constexpr size_t kMaxGsJsonBytes = 256 << 10;

/// The fields of an object that parse_gs_object() needs, as the parameter `fields` has them.
inline constexpr char kGsObjectFields[] = "name,size,generation,updated";

/// What the service says of a failure; empty for what is no such text.
ServiceFailure parse_gs_failure(std::string_view json);

/// The error for an answer without success.
Status gs_error(const net::HttpResponse& answer, std::string_view uri);

/// An object's name, size, time and generation, which is its version.
Result<ObjectStat> parse_gs_object(std::string_view json);

/// Size and CRC-32C of an object, as one text to be compared; empty where one of them is missing.
std::string parse_gs_checksum(std::string_view json);

/// A page of Objects: list.
Result<TokenPage> parse_gs_list(std::string_view json);

/// How far a copy has come.
struct GsRewrite {
  std::string token;  // of the next call; empty: it is done
  ObjectStat stat;    // of the copy, when it is done
};
Result<GsRewrite> parse_gs_rewrite(std::string_view json);

/// Whether `version` is one that an object can have: a generation.
bool is_gs_generation(std::string_view version);

}  // namespace forebay::storage
