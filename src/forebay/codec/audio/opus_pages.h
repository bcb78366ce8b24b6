// The pages of an Opus stream, before libsndfile sees them: it reckons with their positions as they are, and
// seeks without end where they cannot be.
#pragma once

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// data_loss for an Ogg file of Opus of which a page is missing or damaged, or whose positions fall, or rise
/// by more than a page can hold. A stream may begin anywhere, but not with its last page. Other files pass.
/// Source: RFC 7845, section 4; RFC 3533 for pages.
Status check_opus_pages(Bytes bytes);

}  // namespace forebay::codec
