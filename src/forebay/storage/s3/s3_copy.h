// Copies within a bucket, by the server.
#pragma once

#include <memory>

#include "forebay/storage/object_store.h"
#include "forebay/storage/s3/s3_connection.h"

namespace forebay::storage {

/// One CopyObject, or for objects beyond its limit a multipart upload whose parts the server copies. Where
/// the server knows no condition for copies, `if_absent` is a check before the copy and not atomic.
void copy_object(std::shared_ptr<S3Connection> connection, MoveRequest request, const CallContext& context,
                 StatCallback done);

}  // namespace forebay::storage
