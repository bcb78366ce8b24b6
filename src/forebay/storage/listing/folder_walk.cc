#include <utility>
#include <vector>

#include "forebay/storage/listing/list_work.h"

namespace forebay::storage {
namespace {

/// The deepest comes first, and a folder's next page after all that its last page named. So what waits is
/// bounded by the tree's depth, not by its size.
class FolderWalk final : public ListWork {
 public:
  explicit FolderWalk(ListRequest request) : request_(std::move(request)) {
    request_.delimiter = "/";
    waiting_.push_back({.id = 0, .request = request_, .stream = nullptr});
  }

  std::optional<ListPiece> next() override {
    if (waiting_.empty()) {
      return std::nullopt;
    }
    ListPiece piece = std::move(waiting_.back());
    waiting_.pop_back();
    return piece;
  }

  void take(ListPiece piece, ListPage& page) override {
    if (!page.is_last) {
      waiting_.push_back(std::move(piece));
    }
    for (auto folder = page.prefixes.rbegin(); folder != page.prefixes.rend(); ++folder) {
      ListRequest below = request_;
      below.prefix = *folder;
      waiting_.push_back({.id = 0, .request = std::move(below), .stream = nullptr});
    }
  }

 private:
  ListRequest request_;
  std::vector<ListPiece> waiting_;
};

}  // namespace

std::unique_ptr<ListWork> folder_walk(ListRequest request) {
  return std::make_unique<FolderWalk>(std::move(request));
}

}  // namespace forebay::storage
