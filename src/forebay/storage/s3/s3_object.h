// What the operations on single objects share.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/http/ranged_read.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/s3/s3_connection.h"

namespace forebay::storage {

/// HEAD. With `if_version`, `aborted` for any other version. not_found for the empty key, which is the
/// bucket.
void stat_object(const std::shared_ptr<S3Connection>& connection, std::string key,
                 const std::string& if_version, const CallContext& context, StatCallback done);

/// How the objects are read.
std::shared_ptr<RangedReadSource> s3_reads(const std::shared_ptr<S3Connection>& connection);

/// If-Match or If-None-Match, as the options say.
void add_conditions(const WriteOptions& options, net::AwsFields& headers);

/// `invalid_argument` for keys that cannot be written.
Status check_key(const S3Connection& connection, const std::string& key);

}  // namespace forebay::storage
