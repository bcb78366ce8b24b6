// Whole blobs: what they are, writing and copying them.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/az/az_connection.h"
#include "forebay/storage/http/ranged_read.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// HEAD. With `if_version`, `aborted` for any other entity tag. not_found for the empty key, which is the
/// container.
void stat_az_blob(const std::shared_ptr<AzConnection>& connection, std::string key,
                  const std::string& if_version, const CallContext& context, StatCallback done);

/// If-Match or If-None-Match, as the options say.
void add_az_conditions(const WriteOptions& options, net::AwsFields& headers);

/// How blobs are read.
std::shared_ptr<RangedReadSource> az_reads(const std::shared_ptr<AzConnection>& connection);

/// Put Blob, of at most AzOptions::largest_put_bytes.
void put_az_blob(const std::shared_ptr<AzConnection>& connection, const std::string& key, Bytes content,
                 const WriteOptions& options, const CallContext& context, StatCallback done);

/// Copy Blob, by the service, which may go on with it after its answer; then it is asked how far it is.
void copy_az_blob(const std::shared_ptr<AzConnection>& connection, MoveRequest request,
                  const CallContext& context, StatCallback done);

}  // namespace forebay::storage
