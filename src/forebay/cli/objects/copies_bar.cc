#include "forebay/cli/objects/copies_bar.h"

#include <fmt/core.h>

namespace forebay::cli {

std::function<void(const storage::CopiesProgress& progress)> drawn_on(ProgressBar& bar) {
  return [&bar](const storage::CopiesProgress& progress) {
    bar.expect(progress.expected_bytes);
    bar.show(progress.bytes, fmt::format("{} objects", progress.objects));
  };
}

}  // namespace forebay::cli
