#include "forebay/base/metrics/metric_text.h"

#include <fmt/core.h>

#include "forebay/base/utf8.h"

namespace forebay {

std::string metric_head(std::string_view name, std::string_view help, bool counts) {
  const bool is_counter = counts || name.ends_with("_total");
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, is_counter ? "counter" : "gauge");
}

std::string metric_label(std::string_view text) {
  std::string label;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') {
      label += '\\';
    }
    label += c;
  }
  return label;
}

}  // namespace forebay
