#include "forebay/dataset/coco/mask_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace forebay::dataset {
namespace {

constexpr double kFineness = 5;  // how many steps of an edge a pixel has
constexpr int kBitsOfCharacter = 5;
constexpr int kMaxCharacters = 7;  // of one run
constexpr char kFirstCharacter = '0';
constexpr int kMoreFollows = 0x20;
constexpr int kIsNegative = 0x10;

/// The next number of the text, which loses it. data_loss for what is none.
Result<int64_t> take_number(std::string_view* text) {
  int64_t number = 0;
  for (int place = 0; place < kMaxCharacters && !text->empty(); ++place) {
    const int bits = text->front() - kFirstCharacter;
    text->remove_prefix(1);
    if (bits < 0 || bits >= 2 * kMoreFollows) {
      return data_loss("the counts of a mask hold a character that is none of theirs");
    }
    number |= static_cast<int64_t>(bits & (kMoreFollows - 1)) << (kBitsOfCharacter * place);
    if ((bits & kMoreFollows) == 0) {
      const int64_t sign = (bits & kIsNegative) != 0 ? -1 : 0;
      return number | sign * (int64_t{1} << (kBitsOfCharacter * (place + 1)));
    }
  }
  return data_loss("the counts of a mask end within a number, or hold one that is too long");
}

/// A coordinate in steps.
int64_t in_steps(float coordinate) {
  return static_cast<int64_t>(kFineness * static_cast<double>(coordinate) + 0.5);
}

/// The centre of a step, in pixels whose centres are whole.
double in_pixels(int64_t step) {
  return (static_cast<double>(step) + 0.5) / kFineness - 0.5;
}

}  // namespace

Status unpack_runs(std::string_view text, uint64_t pixels, std::vector<uint32_t>* runs) {
  const size_t begin = runs->size();
  while (!text.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(int64_t run, take_number(&text));
    const size_t count = runs->size() - begin;
    if (count > 2) {
      run += (*runs)[begin + count - 2];
    }
    if (run < 0 || static_cast<uint64_t>(run) > pixels) {
      return data_loss("a run of a mask is {} pixels long, of {}", run, pixels);
    }
    runs->push_back(static_cast<uint32_t>(run));
  }
  return ok_status();
}

Status check_runs(std::span<const uint32_t> runs, uint64_t pixels) {
  uint64_t sum = 0;
  for (const uint32_t run : runs) {
    sum += run;
    if (sum > pixels) {
      return data_loss("the runs of a mask are longer than its {} pixels", pixels);
    }
  }
  return ok_status();
}

void MaskPainter::paint(uint64_t begin, uint64_t end, int32_t label) {
  const auto height = static_cast<uint64_t>(height_);
  for (uint64_t at = begin; at < end;) {
    const uint64_t column = at / height;
    const uint64_t row = at % height;
    const uint64_t rows = std::min(end - at, height - row);
    int32_t* pixel = mask_ + row * static_cast<uint64_t>(width_) + column;
    for (uint64_t i = 0; i < rows; ++i, pixel += width_) {
      *pixel = label;
    }
    at += rows;
  }
}

void MaskPainter::paint_runs(std::span<const uint32_t> runs, int32_t label) {
  uint64_t at = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i % 2 == 1) {
      paint(at, at + runs[i], label);
    }
    at += runs[i];
  }
}

Status MaskPainter::check_polygon(std::span<const float> coordinates) const {
  for (size_t i = 0; i + 1 < coordinates.size(); i += 2) {
    const auto width = static_cast<float>(width_);
    const auto height = static_cast<float>(height_);
    const float x = coordinates[i];
    const float y = coordinates[i + 1];
    if (!(x >= -width && x <= 2 * width && y >= -height && y <= 2 * height)) {
      return data_loss("the vertex ({}, {}) is far outside the image of {} x {} pixels", x, y, width_,
                       height_);
    }
  }
  return ok_status();
}

Status MaskPainter::paint_polygon(std::span<const float> coordinates, int32_t label) {
  FOREBAY_RETURN_IF_ERROR(check_polygon(coordinates));
  crossings_.clear();
  has_last_ = false;
  for (size_t i = 0; i + 1 < coordinates.size(); i += 2) {
    const size_t next = i + 3 < coordinates.size() ? i + 2 : 0;
    cross_edge(in_steps(coordinates[i]), in_steps(coordinates[i + 1]), in_steps(coordinates[next]),
               in_steps(coordinates[next + 1]));
  }
  std::ranges::sort(crossings_);
  crossings_.push_back(static_cast<uint64_t>(height_ * width_));
  for (size_t i = 0; i + 1 < crossings_.size(); i += 2) {
    paint(crossings_[i], crossings_[i + 1], label);
  }
  return ok_status();
}

// Goes along an edge step by step on its longer axis. The line is always reckoned from its lower end, so that
// an edge that two polygons share is the same for both.
void MaskPainter::cross_edge(int64_t x, int64_t y, int64_t other_x, int64_t other_y) {
  const int64_t steps_x = std::abs(other_x - x);
  const int64_t steps_y = std::abs(other_y - y);
  const bool is_flat = steps_x >= steps_y;
  const int64_t steps = is_flat ? steps_x : steps_y;
  const bool is_reversed = is_flat ? x > other_x : y > other_y;
  if (is_reversed) {
    std::swap(x, other_x);
    std::swap(y, other_y);
  }
  const double slope =
      steps == 0 ? 0 : static_cast<double>(is_flat ? other_y - y : other_x - x) / static_cast<double>(steps);
  for (int64_t i = 0; i <= steps; ++i) {
    const int64_t along = is_reversed ? steps - i : i;
    const double across = static_cast<double>(is_flat ? y : x) + slope * static_cast<double>(along) + 0.5;
    const auto rounded = static_cast<int64_t>(across);
    if (is_flat) {
      step_to(x + along, rounded);
    } else {
      step_to(rounded, y + along);
    }
  }
}

// Where the edge passes the middle of a column of pixels, that column changes between outside and inside.
void MaskPainter::step_to(int64_t x, int64_t y) {
  if (has_last_ && x != last_x_) {
    const double column = in_pixels(std::min(x, last_x_));
    if (column == std::floor(column) && column >= 0 && column <= static_cast<double>(width_ - 1)) {
      const double row = std::clamp(in_pixels(std::min(y, last_y_)), 0.0, static_cast<double>(height_));
      crossings_.push_back(static_cast<uint64_t>(column) * static_cast<uint64_t>(height_) +
                           static_cast<uint64_t>(std::ceil(row)));
    }
  }
  last_x_ = x;
  last_y_ = y;
  has_last_ = true;
}

}  // namespace forebay::dataset
