// The picture that `forebay top` draws.
#pragma once

#include <string>
#include <vector>

#include "forebay/cli/caching/top_sample.h"

namespace forebay::cli {

struct ScreenSize {
  size_t columns = 80;
  size_t rows = 24;
};

/// Lines of at most `size.columns` bytes, all of them letters of ASCII, and at most `size.rows` of them.
std::vector<std::string> draw_top(const TopSample& before, const TopSample& now, const ScreenSize& size);

}  // namespace forebay::cli
