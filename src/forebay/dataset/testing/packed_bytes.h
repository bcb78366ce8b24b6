// Compresses bytes, for tests.
#pragma once

#include <string>

#include "forebay/dataset/compression/unpack.h"

namespace forebay::dataset::testing {

std::string pack(Compression compression, const std::string& plain);

}  // namespace forebay::dataset::testing
