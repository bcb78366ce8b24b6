// Tables that depend on a number that samples bring, such as the length of a line, kept from sample to
// sample.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "forebay/operators/sample.h"

namespace forebay::operators {

/// Keeps the tables of the first numbers that are asked for, of up to kMaxNumbers and kMaxKeptBytes
/// together, the first of any size. Others are made for the sample that needs them. Each is counted against
/// the memory limit while it is made, and, if it is not kept, until the operator returns; those that are kept
/// are not (budget.md). Safe from any thread, without a lock: so a child of a fork finds none taken.
template <class Table>
class TablesByNumber {
 public:
  static constexpr size_t kMaxNumbers = 64;
  static constexpr int64_t kMaxKeptBytes = int64_t{8} << 20;

  TablesByNumber() = default;
  TablesByNumber(const TablesByNumber&) = delete;
  TablesByNumber& operator=(const TablesByNumber&) = delete;
  ~TablesByNumber() {
    for (const auto& slot : slots_) {
      delete slot.load(std::memory_order_acquire);
    }
  }

  /// Calls use(table), which returns a Status, with the table of `number` >= 0, which make() gives if there
  /// is none; `bytes`: what that takes at most. Refusals of the memory limit are passed on.
  template <class Make, class Use>
  Status with(SampleServices& services, int64_t number, int64_t bytes, Make make, Use use) {
    std::unique_ptr<const Entry> made;
    for (size_t i = 0; i < kMaxNumbers; ++i) {
      std::atomic<const Entry*>& slot = slots_[(static_cast<size_t>(number) + i) % kMaxNumbers];
      const Entry* entry = slot.load(std::memory_order_acquire);
      if (entry == nullptr) {
        FOREBAY_RETURN_IF_ERROR(ensure(services, number, bytes, make, &made));
        if (!take_room(bytes)) {
          break;
        }
        if (slot.compare_exchange_strong(entry, made.get(), std::memory_order_acq_rel)) {
          return use(made.release()->table);
        }
        kept_bytes_.fetch_sub(bytes, std::memory_order_relaxed);  // another thread was sooner
      }
      if (entry->number == number) {
        return use(entry->table);
      }
    }
    FOREBAY_RETURN_IF_ERROR(ensure(services, number, bytes, make, &made));
    return use(made->table);
  }

 private:
  struct Entry {
    Entry(int64_t its_number, Table its_table) : number(its_number), table(std::move(its_table)) {}
    int64_t number;
    Table table;
  };

  template <class Make>
  static Status ensure(SampleServices& services, int64_t number, int64_t bytes, Make& make,
                       std::unique_ptr<const Entry>* made) {
    if (*made == nullptr) {
      FOREBAY_RETURN_IF_ERROR(services.reserve(static_cast<size_t>(bytes)));
      *made = std::make_unique<const Entry>(number, make());
    }
    return ok_status();
  }

  bool take_room(int64_t bytes) {
    const int64_t before = kept_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    if (before == 0 || before + bytes <= kMaxKeptBytes) {
      return true;
    }
    kept_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }

  std::array<std::atomic<const Entry*>, kMaxNumbers> slots_{};
  std::atomic<int64_t> kept_bytes_{0};
};

}  // namespace forebay::operators
