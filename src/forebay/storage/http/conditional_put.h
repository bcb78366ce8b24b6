// Objects that are written by one request, also where a condition forbids to send it twice unasked.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "forebay/storage/http/ranged_read.h"

namespace forebay::storage {

/// `put` sends the request once, and is called again after answers that were lost. Without a condition that
/// is all. With one, the object is looked at before: it is what a lost attempt made if it has the content,
/// and is not the version that was to be replaced. `content` is valid until the answer.
void put_object(std::shared_ptr<RangedReadSource> reads, std::string key, Bytes content,
                const WriteOptions& options, const CallContext& context,
                std::function<void(const CallContext& context, StatCallback done)> put, StatCallback done);

}  // namespace forebay::storage
