// What tells versions of an object apart: its entity tag, or where a server gives none, its time and size.
#pragma once

#include <string>
#include <string_view>

#include "forebay/net/aws_signature.h"
#include "forebay/net/http_message.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// The version of the object that an answer is about. Servers over files that something else has laid there
/// give no ETag; then it is the time of modification, of whole seconds, and the size, which is a weak
/// version. data_loss where there is neither.
Result<std::string> s3_version_in(const net::HttpResponse& answer, std::string_view uri);

/// Whether the version is of the time and size. No request can depend on it.
bool is_time_version(std::string_view version);

/// Lets a request depend on the version, by the header of that name, if one can.
void add_version(std::string_view header, std::string_view version, net::AwsFields& headers);

/// unimplemented for a write that depends on such a version.
Status check_writable(const WriteOptions& options, std::string_view uri);

}  // namespace forebay::storage
