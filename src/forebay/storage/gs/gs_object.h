// Whole objects of Google Cloud Storage: what they are, writing, copying, removing them by single requests.
#pragma once

#include <memory>
#include <string>

#include "forebay/storage/gs/gs_connection.h"
#include "forebay/storage/http/ranged_read.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// With `if_version`, `aborted` for any other generation. not_found for the empty key.
void stat_gs_object(const std::shared_ptr<GsConnection>& connection, std::string key,
                    const std::string& if_version, const CallContext& context, StatCallback done);

/// How objects are read.
std::shared_ptr<RangedReadSource> gs_reads(const std::shared_ptr<GsConnection>& connection);

/// ifGenerationMatch as the options say; `aborted` for a version that no object can have.
Status add_gs_condition(const WriteOptions& options, std::string_view uri, net::AwsFields& query);

/// The object by one request.
void put_gs_object(const std::shared_ptr<GsConnection>& connection, const std::string& key, Bytes content,
                   const WriteOptions& options, const CallContext& context, StatCallback done);

/// By the server, in as many calls as it wants.
void copy_gs_object(const std::shared_ptr<GsConnection>& connection, MoveRequest request,
                    const CallContext& context, StatCallback done);

/// The object that an answer describes, or the error with the URI in front.
Result<ObjectStat> gs_object_in(const Result<net::HttpResponse>& answer, std::string_view uri);

}  // namespace forebay::storage
