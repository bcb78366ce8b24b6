#include "forebay/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace forebay {
namespace {

constexpr size_t kCharactersPerEdit = 3;

size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

void NearestName::look_at(std::string_view name) {
  const size_t edits = edits_between(name, wanted_);
  if (edits < edits_) {
    found_ = name;
    edits_ = edits;
  }
}

bool NearestName::is_near() const {
  return edits_ <= std::max<size_t>(1, wanted_.size() / kCharactersPerEdit);
}

}  // namespace forebay
