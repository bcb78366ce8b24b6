// The names of a tensor's axes, outermost first: "HWC", "CHW", "FHWC", "DHWC", "NHWC". Empty if unknown.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/tensor/shape.h"

namespace forebay::tensor {

class Layout {
 public:
  Layout() = default;
  Layout(const char* names) : Layout(std::string_view(names)) {}
  Layout(std::string_view names) {
    FOREBAY_CHECK(names.size() <= kMaxRank);
    for (const char name : names) {
      names_[size_++] = name;
    }
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  char operator[](int axis) const { return names_[axis]; }
  std::string_view view() const { return {names_.data(), static_cast<size_t>(size_)}; }
  std::string to_string() const { return std::string(view()); }

  /// The axis with that name, or -1.
  int find(char name) const {
    const size_t at = view().find(name);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
  }

  friend bool operator==(const Layout& a, const Layout& b) { return a.view() == b.view(); }

 private:
  std::array<char, kMaxRank> names_{};
  int size_ = 0;
};

}  // namespace forebay::tensor
