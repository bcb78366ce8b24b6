// Ranges of objects in requests and answers of HTTP, for the drivers that speak it.
//
// Source: RFC 9110, 14 (range requests).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/net/http_message.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Whether a request can ask for the range: one of no bytes has no form in HTTP, and servers fail in
/// different ways at numbers beyond any object. Sums of offset and length do not overflow if it can.
bool has_http_form(const ReadRequest& request);

/// The value of Range; empty if all of the object is wanted.
std::string http_range(const ReadRequest& request);

/// Whether a 206 answer brings just the range that was asked for. It may do so without the object's size.
bool answers_exactly(const net::HttpResponse& head, const ReadRequest& request);

/// The length of the range in an object of `size_bytes`. unavailable if a 206 answer brings another range
/// than was asked for; out_of_range if the object does not have it.
Result<uint64_t> answered_length(const net::HttpResponse& head, const ReadRequest& request,
                                 uint64_t size_bytes, std::string_view uri);

}  // namespace forebay::storage
