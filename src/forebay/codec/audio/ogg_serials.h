// The serial numbers of an Ogg file's streams, before libsndfile sees them: it tells streams apart by nothing
// else.
#pragma once

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::codec {

/// data_loss for an Ogg file in which a stream begins with the serial number of another one before it. Of
/// such files libsndfile takes the length from the last stream, and finds the samples of the first, or of the
/// first ones as far as that length goes. Other files pass. Source: RFC 3533, section 4, by which numbers are
/// unique in a file, and section 6 for pages.
Status check_ogg_serials(Bytes bytes);

}  // namespace forebay::codec
