// Where the frequencies of a spectrogram are; tables for as many of them as samples have.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/kernels/generic/lines.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// The axis 'f'; without a layout the last but one, or the only one. invalid_argument if there is none.
inline Result<int> frequency_axis(const Tensor& tensor) {
  const int rank = tensor.shape().rank();
  const int axis = tensor.layout().empty() ? std::max(0, rank - 2) : tensor.layout().find('f');
  if (axis < 0 || axis >= rank) {
    return invalid_argument("the input is {}; it must have an axis 'f', of frequencies",
                            tensor.spec().to_string());
  }
  return axis;
}

/// The lines of an array of `shape` along `axis`.
inline kernels::Lines lines_along(const Shape& shape, int axis) {
  return {shape.volume(0, axis), shape[axis], shape.volume(axis + 1, shape.rank())};
}

/// Tables that depend on a number, kept for the first few numbers that are asked for. Safe from any thread,
/// without a lock: so a child of a fork finds none taken.
template <class Table>
class TablesByNumber {
 public:
  TablesByNumber() = default;
  TablesByNumber(const TablesByNumber&) = delete;
  TablesByNumber& operator=(const TablesByNumber&) = delete;
  ~TablesByNumber() {
    for (const auto& slot : slots_) {
      delete slot.load(std::memory_order_acquire);
    }
  }

  /// Calls use(table) with the table of `number`, which make() gives if there is none, and returns what it
  /// returns.
  template <class Make, class Use>
  auto with(int64_t number, Make make, Use use) {
    for (std::atomic<const Entry*>& slot : slots_) {
      const Entry* entry = slot.load(std::memory_order_acquire);
      if (entry == nullptr) {
        auto made = std::make_unique<const Entry>(number, make());
        if (slot.compare_exchange_strong(entry, made.get(), std::memory_order_acq_rel)) {
          entry = made.release();
        }
      }
      if (entry->number == number) {
        return use(entry->table);
      }
    }
    return use(make());
  }

 private:
  struct Entry {
    Entry(int64_t its_number, Table its_table) : number(its_number), table(std::move(its_table)) {}
    int64_t number;
    Table table;
  };
  std::array<std::atomic<const Entry*>, 8> slots_{};
};

}  // namespace forebay::operators
