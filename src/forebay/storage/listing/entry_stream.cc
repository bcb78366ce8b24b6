#include "forebay/storage/listing/entry_stream.h"

#include <algorithm>
#include <utility>

namespace forebay::storage {
namespace {

/// The streams lie in a heap, the least name on top.
class MergedSnapshots final : public EntryStream {
 public:
  Status open(std::vector<std::shared_ptr<const NameSnapshot>> snapshots, bool drops_removed,
              std::string_view from) {
    drops_removed_ = drops_removed;
    for (size_t number = snapshots.size(); number-- > 0;) {
      auto cursor = std::make_unique<SnapshotCursor>(std::move(snapshots[number]));
      FOREBAY_RETURN_IF_ERROR(cursor->seek(from));
      if (cursor->entry() != nullptr) {
        heap_.push_back({number, std::move(cursor)});
      }
    }
    std::ranges::make_heap(heap_, is_later);
    return pass_over_removed();
  }

  const NamedEntry* entry() const override { return heap_.empty() ? nullptr : heap_.front().cursor->entry(); }

  Status next() override {
    FOREBAY_RETURN_IF_ERROR(pass_key());
    return pass_over_removed();
  }

 private:
  struct Input {
    size_t number = 0;
    std::unique_ptr<SnapshotCursor> cursor;
  };

  static bool is_later(const Input& a, const Input& b) {
    const int order = a.cursor->entry()->key.compare(b.cursor->entry()->key);
    return order != 0 ? order > 0 : a.number < b.number;
  }

  /// Leaves the least name, in all snapshots.
  Status pass_key() {
    const std::string key(entry()->key);
    while (!heap_.empty() && entry()->key == key) {
      std::ranges::pop_heap(heap_, is_later);
      FOREBAY_RETURN_IF_ERROR(heap_.back().cursor->next());
      if (heap_.back().cursor->entry() == nullptr) {
        heap_.pop_back();
      } else {
        std::ranges::push_heap(heap_, is_later);
      }
    }
    return ok_status();
  }

  Status pass_over_removed() {
    while (drops_removed_ && entry() != nullptr && entry()->is_removed) {
      FOREBAY_RETURN_IF_ERROR(pass_key());
    }
    return ok_status();
  }

  std::vector<Input> heap_;
  bool drops_removed_ = false;
};

}  // namespace

Result<std::unique_ptr<EntryStream>> merge_snapshots(
    std::vector<std::shared_ptr<const NameSnapshot>> snapshots, bool drops_removed, std::string_view from) {
  auto merged = std::make_unique<MergedSnapshots>();
  FOREBAY_RETURN_IF_ERROR(merged->open(std::move(snapshots), drops_removed, from));
  return merged;
}

}  // namespace forebay::storage
