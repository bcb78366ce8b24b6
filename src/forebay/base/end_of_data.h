// The error for the end of a source's data: out_of_range with a mark, so that no other error is mistaken for
// it.
#pragma once

#include <string_view>

#include "forebay/base/status.h"

namespace forebay {

/// `text` says how to continue.
Status end_of_data(std::string_view text);
bool is_end_of_data(const Status& status);

}  // namespace forebay
