// Braces in names, as shells expand them: s-{000..002}.tar, {train,val}.tfrecord.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"

namespace forebay::dataset {

/// The names that `text` stands for, in the order of their braces, which may be nested; braces that are
/// neither a list nor a range are as they are. A range of numbers may fall, may have a step ({0..9..3}), and
/// is as wide as the wider of its ends if one of them begins with a zero. invalid_argument for more than
/// `most` names, or braces without measure.
Result<std::vector<std::string>> expand_braces(std::string_view text, size_t most);

}  // namespace forebay::dataset
