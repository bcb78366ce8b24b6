#include "forebay/dataset/testing/key_value_files.h"

#include <algorithm>
#include <cstring>

#include "forebay/base/check.h"
#include "forebay/dataset/testing/record_files.h"

namespace forebay::dataset::testing {
namespace {

template <class T>
std::string plain(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

template <class T>
void put(std::string& page, size_t offset, T value) {
  page.replace(offset, sizeof(value), plain(value));
}

constexpr uint64_t kNone = ~uint64_t{0};

/// Makes the pages of a tree, leaves first.
class LmdbWriter {
 public:
  explicit LmdbWriter(uint32_t page_bytes) : page_bytes_(page_bytes), file_(size_t{2} * page_bytes, '\0') {}

  std::string run(const std::vector<std::pair<std::string, std::string>>& items) {
    std::vector<Node> nodes;
    for (const auto& [key, value] : items) {
      nodes.push_back(leaf_node(key, value));
    }
    uint64_t root = kNone;
    uint16_t depth = 0;
    for (uint16_t flags = 2; !nodes.empty(); flags = 1) {  // leaves, then branches
      std::vector<std::pair<std::string, uint64_t>> pages = pages_of(nodes, flags);
      ++depth;
      if (pages.size() == 1) {
        root = pages[0].second;
        break;
      }
      nodes.clear();
      for (size_t i = 0; i < pages.size(); ++i) {
        nodes.push_back({pages[i].first, branch_node(i == 0 ? "" : pages[i].first, pages[i].second)});
      }
    }
    put_meta(0, 0, kNone, 0, 0);
    put_meta(1, 1, root, depth, items.size());
    return file_;
  }

 private:
  struct Node {
    std::string key;
    std::string bytes;
    const std::string* large = nullptr;  // a value that lies behind the leaf, whose page ends the node
  };

  uint64_t pages() const { return file_.size() / page_bytes_; }

  Node leaf_node(const std::string& key, const std::string& value) const {
    const bool is_large = 8 + key.size() + value.size() > page_bytes_ / 2;
    std::string bytes = plain(static_cast<uint32_t>(value.size())) + plain(uint16_t{is_large}) +
                        plain(static_cast<uint16_t>(key.size())) + key;
    return {key, is_large ? bytes : bytes + value, is_large ? &value : nullptr};
  }

  std::string pages_of_value(const std::string& value) const {
    std::string own = plain(pages()) + plain(uint16_t{0}) + plain(uint16_t{4});
    own += plain(static_cast<uint32_t>((16 + value.size() + page_bytes_ - 1) / page_bytes_)) + value;
    own.resize((own.size() + page_bytes_ - 1) / page_bytes_ * page_bytes_, '\0');
    return own;
  }

  static std::string branch_node(const std::string& key, uint64_t page) {
    return plain(static_cast<uint32_t>(page)) + plain(static_cast<uint16_t>(page >> 32)) +
           plain(static_cast<uint16_t>(key.size())) + key;
  }

  /// Fills pages with the nodes, large values behind their leaf; gives the first key and the number of each.
  std::vector<std::pair<std::string, uint64_t>> pages_of(const std::vector<Node>& nodes, uint16_t flags) {
    std::vector<std::pair<std::string, uint64_t>> made;
    std::string page;
    size_t lower = 0;
    size_t upper = 0;
    const auto finish = [&] {
      put(page, 12, static_cast<uint16_t>(lower));
      put(page, 14, static_cast<uint16_t>(upper));
      file_.replace(made.back().second * page_bytes_, page_bytes_, page);
    };
    for (const auto& [key, bytes, large] : nodes) {
      const size_t node_bytes = bytes.size() + (large == nullptr ? 0 : sizeof(uint64_t));
      const size_t room = (node_bytes + 1) / 2 * 2;
      if (made.empty() || upper - lower < room + 2) {
        if (!made.empty()) {
          finish();
        }
        made.emplace_back(key, pages());
        page.assign(page_bytes_, '\0');
        put(page, 0, pages());
        put(page, 10, flags);
        file_ += page;
        lower = 16;
        upper = page_bytes_;
      }
      upper -= room;
      page.replace(upper, node_bytes, large == nullptr ? bytes : bytes + plain(pages()));
      file_ += large == nullptr ? "" : pages_of_value(*large);
      put(page, lower, static_cast<uint16_t>(upper));
      lower += 2;
    }
    finish();
    return made;
  }

  void put_meta(uint64_t number, uint64_t transaction, uint64_t root, uint16_t depth, uint64_t entries) {
    std::string page(page_bytes_, '\0');
    put(page, 0, number);
    put(page, 10, uint16_t{8});
    put(page, 16, uint32_t{0xbeefc0de});
    put(page, 20, uint32_t{1});
    put(page, 32, uint64_t{1} << 30);  // map size
    put(page, 40, page_bytes_);
    put(page, 80, kNone);  // the tree of free pages has no root
    put(page, 94, depth);
    put(page, 120, entries);
    put(page, 128, root);
    put(page, 136, pages() - 1);
    put(page, 144, transaction);
    file_.replace(number * page_bytes_, page_bytes_, page);
  }

  const uint32_t page_bytes_;
  std::string file_;
};

}  // namespace

std::string recordio_part_of(std::string_view data, uint32_t position) {
  std::string part = plain(uint32_t{0xced7230a});
  part += plain(position << 29 | static_cast<uint32_t>(data.size())) + std::string(data);
  part.resize((part.size() + 3) / 4 * 4, '\0');
  return part;
}

std::string image_record_of(float label, std::string_view picture) {
  return plain(uint32_t{0}) + plain(label) + plain(uint64_t{7}) + plain(uint64_t{0}) + std::string(picture);
}

std::string image_record_of(const std::vector<float>& labels, std::string_view picture) {
  std::string record = plain(static_cast<uint32_t>(labels.size())) + plain(0.0F) + plain(uint64_t{7});
  record += plain(uint64_t{0});
  for (const float label : labels) {
    record += plain(label);
  }
  return record + std::string(picture);
}

std::string lmdb_file_of(const std::vector<std::pair<std::string, std::string>>& items, uint32_t page_bytes) {
  return LmdbWriter(page_bytes).run(items);
}

std::string varint_field(uint32_t number, uint64_t value) {
  return varint(number << 3) + varint(value);
}

std::string datum_of(std::string_view picture, int64_t label) {
  return bytes_field(4, picture) + varint_field(5, static_cast<uint64_t>(label)) + varint_field(7, 1);
}

std::string datum_of_pixels(std::string_view pixels, int64_t channels, int64_t height, int64_t width,
                            int64_t label) {
  return varint_field(1, static_cast<uint64_t>(channels)) + varint_field(2, static_cast<uint64_t>(height)) +
         varint_field(3, static_cast<uint64_t>(width)) + bytes_field(4, pixels) +
         varint_field(5, static_cast<uint64_t>(label)) + varint_field(7, 0);
}

std::string tensor_protos_of(const std::vector<std::string>& protos) {
  std::string message;
  for (const std::string& proto : protos) {
    message += bytes_field(1, proto);
  }
  return message;
}

std::string int32_proto(const std::vector<int32_t>& values) {
  std::string proto = varint_field(2, 2);
  for (const int32_t value : values) {
    proto += varint_field(4, static_cast<uint64_t>(value));
  }
  return proto;
}

std::string float_proto(const std::vector<float>& values) {
  std::string packed;
  for (const float value : values) {
    packed += plain(value);
  }
  return varint_field(2, 1) + bytes_field(3, packed);
}

std::string picture_proto(std::string_view encoded) {
  return varint_field(2, 4) + bytes_field(6, encoded);
}

}  // namespace forebay::dataset::testing
