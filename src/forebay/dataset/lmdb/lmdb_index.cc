#include "forebay/dataset/lmdb/lmdb_index.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "forebay/dataset/lmdb/lmdb_pages.h"
#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {
namespace {

constexpr uint32_t kMagic = 0xbeefc0de;
constexpr uint32_t kVersion = 1;
constexpr uint64_t kPageHeaderBytes = 16;
constexpr uint64_t kMetaBytes = 152;  // with the page's header
constexpr uint64_t kNodeHeaderBytes = 8;
constexpr uint64_t kSmallestPage = 256;
constexpr uint64_t kLargestPage = 65536;
constexpr uint64_t kNoPage = ~uint64_t{0};
constexpr size_t kDeepest = 32;  // LMDB's own limit
constexpr uint64_t kMaxPage = uint64_t{1} << 44;

enum PageFlags : uint16_t { kBranch = 1, kLeaf = 2, kMeta = 8 };
enum NodeFlags : uint16_t { kOwnPages = 1, kSubDatabase = 2, kManyValues = 4 };
enum DatabaseFlags : uint16_t { kManyValuesAKey = 4 };

template <class T>
T at(Bytes bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// What a meta page says.
struct Meta {
  uint64_t page_bytes = 0;
  uint64_t transaction = 0;
  uint64_t root = kNoPage;
  uint16_t flags = 0;
};

/// Nothing if it is no meta page.
std::optional<Meta> meta_of(Bytes page) {
  if (at<uint16_t>(page, 10) != kMeta || at<uint32_t>(page, 16) != kMagic ||
      at<uint32_t>(page, 20) != kVersion) {
    return std::nullopt;
  }
  constexpr uint64_t kFreeTree = 40;
  constexpr uint64_t kTree = kFreeTree + 48;
  Meta meta;
  meta.page_bytes = at<uint32_t>(page, kFreeTree);
  meta.flags = at<uint16_t>(page, kTree + 4);
  meta.root = at<uint64_t>(page, kTree + 40);
  meta.transaction = at<uint64_t>(page, kTree + 56);
  const bool is_page = std::has_single_bit(meta.page_bytes) && meta.page_bytes >= kSmallestPage &&
                       meta.page_bytes <= kLargestPage;
  return is_page ? std::optional(meta) : std::nullopt;
}

/// A page of the tree. Borrows its bytes.
class TreePage {
 public:
  /// Nothing if its pointers or nodes leave the page.
  static std::optional<TreePage> of(Bytes page, uint64_t number) {
    TreePage tree(page);
    const uint16_t lower = at<uint16_t>(page, 12);
    const uint16_t upper = at<uint16_t>(page, 14);
    const uint16_t flags = at<uint16_t>(page, 10);
    tree.is_leaf_ = flags == kLeaf;
    if ((flags != kLeaf && flags != kBranch) || at<uint64_t>(page, 0) != number || lower < kPageHeaderBytes ||
        lower > upper || upper > page.size()) {
      return std::nullopt;
    }
    tree.count_ = (lower - kPageHeaderBytes) / 2;
    for (size_t i = 0; i < tree.count_; ++i) {
      const uint64_t node = tree.node_at(i);
      if (node < lower || node + kNodeHeaderBytes > page.size() ||
          node + kNodeHeaderBytes + at<uint16_t>(page, node + 6) > page.size()) {
        return std::nullopt;
      }
    }
    return tree;
  }

  bool is_leaf() const { return is_leaf_; }
  size_t count() const { return count_; }

  /// Of a branch: the page below node `i`.
  uint64_t child(size_t i) const { return at<uint64_t>(page_, node_at(i)) & ((uint64_t{1} << 48) - 1); }

  /// Of a leaf.
  uint16_t flags(size_t i) const { return at<uint16_t>(page_, node_at(i) + 4); }
  uint64_t data_bytes(size_t i) const { return at<uint32_t>(page_, node_at(i)); }
  uint64_t data_offset(size_t i) const {
    return node_at(i) + kNodeHeaderBytes + at<uint16_t>(page_, node_at(i) + 6);
  }
  /// The page where data of its own pages begins; kNoPage if the node is cut.
  uint64_t data_page(size_t i) const {
    const uint64_t offset = data_offset(i);
    return offset + 8 <= page_.size() ? at<uint64_t>(page_, offset) : kNoPage;
  }

 private:
  explicit TreePage(Bytes page) : page_(page) {}
  uint64_t node_at(size_t i) const { return at<uint16_t>(page_, kPageHeaderBytes + 2 * i); }

  Bytes page_;
  size_t count_ = 0;
  bool is_leaf_ = false;
};

/// Walks the tree from left to right.
class TreeWalk {
 public:
  TreeWalk(const ByteSource& file, const std::string& name, uint64_t page_bytes, TakeLmdbValues take)
      : file_(file), name_(name), pages_(file, page_bytes), page_bytes_(page_bytes), take_(take) {}

  Result<LmdbScan> run(uint64_t root) {
    std::vector<std::vector<uint64_t>> left;  // for each level the pages to go to, the next one last
    left.push_back({root});
    while (!left.empty() && !found_.damaged_at) {
      if (left.back().empty()) {
        left.pop_back();
        continue;
      }
      const uint64_t number = left.back().back();
      left.back().pop_back();
      std::vector<uint64_t> children;
      FOREBAY_RETURN_IF_ERROR(visit(number, left.back(), children));
      if (!children.empty()) {
        left.push_back(std::move(children));
      }
      if (left.size() > kDeepest) {
        damage(number);
      }
    }
    return std::move(found_);
  }

 private:
  void damage(uint64_t number) {
    found_.damaged_at = std::min(number, kMaxPage) * page_bytes_;
    found_.damage = data_loss("{}: a damaged LMDB database, at its page {}", name_, number);
  }

  /// `next`: the pages of its level that come after it, the last one first.
  Status visit(uint64_t number, std::span<const uint64_t> next, std::vector<uint64_t>& children) {
    ++visited_;
    const uint64_t pages = file_.size_bytes() / page_bytes_;
    if (number >= pages || visited_ > pages) {  // a tree visits no page twice
      damage(number);
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const Bytes bytes, pages_.at(number, next));
    const std::optional<TreePage> page = TreePage::of(bytes, number);
    if (!page) {
      damage(number);
      return ok_status();
    }
    if (page->is_leaf()) {
      const size_t before = found_.values.size();
      FOREBAY_RETURN_IF_ERROR(take_values(*page, number));
      take_(std::span<const LmdbValue>(found_.values).subspan(before));
      return ok_status();
    }
    for (size_t i = page->count(); i > 0; --i) {
      children.push_back(page->child(i - 1));
    }
    return ok_status();
  }

  Status take_values(const TreePage& page, uint64_t number) {
    for (size_t i = 0; i < page.count(); ++i) {
      if ((page.flags(i) & (kSubDatabase | kManyValues)) != 0) {
        return unimplemented("{}: an LMDB database with databases inside, or with several values a key",
                             name_);
      }
      LmdbValue value{number * page_bytes_ + page.data_offset(i), page.data_bytes(i)};
      if ((page.flags(i) & kOwnPages) != 0) {
        if (page.data_page(i) > kMaxPage) {
          damage(number);
          return ok_status();
        }
        value.offset_bytes = page.data_page(i) * page_bytes_ + kPageHeaderBytes;
      } else if (page.data_offset(i) + value.size_bytes > page_bytes_) {
        damage(number);
        return ok_status();
      }
      found_.values.push_back(value);
    }
    return ok_status();
  }

  const ByteSource& file_;
  const std::string& name_;
  LmdbPages pages_;
  const uint64_t page_bytes_;
  const TakeLmdbValues take_;
  uint64_t visited_ = 0;
  LmdbScan found_;
};

/// The meta page of the last transaction.
Result<std::optional<Meta>> last_meta(const ByteSource& file) {
  WindowReader reader(file);
  if (file.size_bytes() < kMetaBytes) {
    return std::nullopt;
  }
  FOREBAY_ASSIGN_OR_RETURN(const Bytes first, reader.at(0, kMetaBytes));
  std::optional<Meta> meta = meta_of(first);
  if (!meta || file.size_bytes() < meta->page_bytes + kMetaBytes) {
    return meta;
  }
  FOREBAY_ASSIGN_OR_RETURN(const Bytes second, reader.at(meta->page_bytes, kMetaBytes));
  const std::optional<Meta> other = meta_of(second);
  return other && other->page_bytes == meta->page_bytes && other->transaction > meta->transaction ? other
                                                                                                  : meta;
}

}  // namespace

Result<LmdbScan> scan_lmdb(const ByteSource& file, const std::string& name) {
  return scan_lmdb(file, name, [](std::span<const LmdbValue>) {});
}

Result<LmdbScan> scan_lmdb(const ByteSource& file, const std::string& name, TakeLmdbValues take) {
  FOREBAY_ASSIGN_OR_RETURN(const std::optional<Meta> meta, last_meta(file));
  if (!meta) {
    LmdbScan nothing;
    nothing.damaged_at = 0;
    nothing.damage = data_loss("{}: not an LMDB database", name);
    return nothing;
  }
  if ((meta->flags & kManyValuesAKey) != 0) {
    return unimplemented("{}: an LMDB database with several values a key", name);
  }
  if (meta->root == kNoPage) {
    return LmdbScan{};
  }
  return TreeWalk(file, name, meta->page_bytes, take).run(meta->root);
}

}  // namespace forebay::dataset
