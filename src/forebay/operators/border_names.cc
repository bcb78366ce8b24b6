#include "forebay/operators/border_names.h"

#include <algorithm>
#include <array>

namespace forebay::operators {
namespace {

using kernels::Border;

struct BorderName {
  std::string_view name;
  Border border;
};

constexpr std::array<BorderName, 9> kBorderNames = {{
    {"constant", Border::kConstant},
    {"pad", Border::kConstant},
    {"clamp", Border::kClamp},
    {"edge", Border::kClamp},
    {"replicate", Border::kClamp},
    {"reflect", Border::kReflect1001},
    {"reflect_1001", Border::kReflect1001},
    {"reflect_101", Border::kReflect101},
    {"wrap", Border::kWrap},
}};

}  // namespace

std::optional<Border> border_named(std::string_view name) {
  const auto* const found = std::ranges::find(kBorderNames, name, &BorderName::name);
  return found == kBorderNames.end() ? std::nullopt : std::optional(found->border);
}

}  // namespace forebay::operators
