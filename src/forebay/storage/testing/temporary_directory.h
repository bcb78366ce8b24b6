// The temporary directory of tests, under the name that tests of stores know.
#pragma once

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::storage {

using forebay::TemporaryDirectory;

}  // namespace forebay::storage
