#include "forebay/dataset/parquet/parquet_page.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "forebay/dataset/parquet/thrift_reader.h"

namespace forebay::dataset {
namespace {

constexpr int64_t kDataPage = 0;
constexpr int64_t kDictionaryPage = 2;
constexpr int64_t kDataPageV2 = 3;
constexpr uint64_t kMaxPageHeaderBytes = 16 << 20;  // statistics may hold long values

struct StoredHeader {
  int64_t kind = -1;
  int64_t unpacked_bytes = -1;
  int64_t packed_bytes = -1;
  std::optional<uint32_t> checksum;
  int64_t values = -1;
  int64_t coding = -1;
  int64_t definition_coding = 3;
  int64_t repetition_coding = 3;
  int64_t definition_bytes = -1;  // of a data page of version 2
  int64_t repetition_bytes = -1;
  bool is_packed = true;
  bool has_details = false;
};

/// Fields of the three kinds of details: which number is where differs.
void read_details(ThriftReader& reader, int16_t kind, StoredHeader* header) {
  header->has_details = true;
  reader.structure([&](int16_t id, uint8_t type) {
    const bool is_v2 = kind == 8;
    if (id == 1) {
      header->values = reader.integer(type);
    } else if (id == (is_v2 ? 4 : 2)) {
      header->coding = reader.integer(type);
    } else if (kind == 5 && id == 3) {
      header->definition_coding = reader.integer(type);
    } else if (kind == 5 && id == 4) {
      header->repetition_coding = reader.integer(type);
    } else if (is_v2 && id == 5) {
      header->definition_bytes = reader.integer(type);
    } else if (is_v2 && id == 6) {
      header->repetition_bytes = reader.integer(type);
    } else if (is_v2 && id == 7) {
      header->is_packed = reader.boolean(type);
    } else {
      reader.skip(type);
    }
  });
}

StoredHeader read_header(ThriftReader& reader) {
  StoredHeader header;
  reader.structure([&](int16_t id, uint8_t type) {
    switch (id) {
      case 1:
        header.kind = reader.integer(type);
        break;
      case 2:
        header.unpacked_bytes = reader.integer(type);
        break;
      case 3:
        header.packed_bytes = reader.integer(type);
        break;
      case 4:
        header.checksum = static_cast<uint32_t>(reader.integer(type));
        break;
      case 5:
      case 7:
      case 8:
        if (type == ThriftReader::kStruct) {
          read_details(reader, id, &header);
        } else {
          reader.fail();
        }
        break;
      default:
        reader.skip(type);
    }
  });
  return header;
}

/// Levels of a page of version 1: their length, then runs.
Result<Bytes> take_levels(Bytes* content) {
  uint32_t length = 0;
  if (content->size() < sizeof(length)) {
    return data_loss("a page ends within its levels");
  }
  std::memcpy(&length, content->data(), sizeof(length));
  *content = content->subspan(sizeof(length));
  if (length > content->size()) {
    return data_loss("levels of {} bytes in a page that has {} left", length, content->size());
  }
  const Bytes levels = content->first(length);
  *content = content->subspan(length);
  return levels;
}

Status divide_v1(const StoredHeader& header, const ParquetLeaf& leaf, ParquetPage* page) {
  const bool has_old_levels = (leaf.max_repetition > 0 && header.repetition_coding != 3) ||
                              (leaf.max_definition > 0 && header.definition_coding != 3);
  if (has_old_levels) {
    return unimplemented("a page has levels in the deprecated coding BIT_PACKED");
  }
  if (leaf.max_repetition > 0) {
    FOREBAY_ASSIGN_OR_RETURN(page->repetition, take_levels(&page->content));
  }
  if (leaf.max_definition > 0) {
    FOREBAY_ASSIGN_OR_RETURN(page->definition, take_levels(&page->content));
  }
  return ok_status();
}

/// Unpacks `packed`, or uses it where it lies.
Result<Bytes> content_of(Bytes packed, uint64_t unpacked_bytes, Compression compression, ParquetPage* page) {
  if (compression == Compression::kNone) {
    if (packed.size() != unpacked_bytes) {
      return data_loss("a page of {} bytes that is not packed has {}", unpacked_bytes, packed.size());
    }
    return packed;
  }
  page->unpacked.resize(unpacked_bytes);
  FOREBAY_RETURN_IF_ERROR(unpack(compression, packed, page->unpacked));
  return Bytes(page->unpacked);
}

/// Pages of version 2: the levels are in front, never packed.
Status divide_v2(const StoredHeader& header, const ParquetLeaf& leaf, Bytes body, Compression compression,
                 ParquetPage* page) {
  const int64_t levels = header.repetition_bytes + header.definition_bytes;
  if (header.repetition_bytes < 0 || header.definition_bytes < 0 ||
      levels > static_cast<int64_t>(body.size()) || levels > header.unpacked_bytes) {
    return data_loss("levels of {} and {} bytes in a page of {}", header.repetition_bytes,
                     header.definition_bytes, body.size());
  }
  page->repetition = body.first(leaf.max_repetition > 0 ? static_cast<size_t>(header.repetition_bytes) : 0);
  page->definition = body.subspan(static_cast<size_t>(header.repetition_bytes),
                                  static_cast<size_t>(header.definition_bytes));
  const Bytes packed = body.subspan(static_cast<size_t>(levels));
  const bool is_packed = header.is_packed && !packed.empty();
  FOREBAY_ASSIGN_OR_RETURN(page->content,
                           content_of(packed, static_cast<uint64_t>(header.unpacked_bytes - levels),
                                      is_packed ? compression : Compression::kNone, page));
  return ok_status();
}

Status check_header(const StoredHeader& header, uint64_t bytes_left, uint64_t most_bytes) {
  if (header.unpacked_bytes < 0 || header.packed_bytes < 0 ||
      static_cast<uint64_t>(header.packed_bytes) > bytes_left) {
    return data_loss("a page of {} bytes, packed {}, where {} are left", header.unpacked_bytes,
                     header.packed_bytes, bytes_left);
  }
  if (static_cast<uint64_t>(header.unpacked_bytes) > most_bytes) {
    return resource_exhausted("a page takes {} bytes, and {} are allowed", header.unpacked_bytes, most_bytes);
  }
  return ok_status();
}

Status check_page_checksum(const StoredHeader& header, Bytes body) {
  if (header.checksum && *header.checksum != ::libdeflate_crc32(0, body.data(), body.size())) {
    return data_loss("a page's checksum is wrong");
  }
  return ok_status();
}

}  // namespace

Result<ParquetPage> read_parquet_page(Bytes pages, uint64_t offset, const ParquetLeaf& leaf,
                                      Compression compression, uint64_t most_bytes) {
  const Bytes rest = pages.subspan(offset);
  ThriftReader reader(rest.first(std::min<uint64_t>(rest.size(), kMaxPageHeaderBytes)));
  const StoredHeader header = read_header(reader);
  if (reader.failed()) {
    return data_loss("the header of a page is damaged");
  }
  FOREBAY_RETURN_IF_ERROR(check_header(header, rest.size() - reader.position(), most_bytes));
  const Bytes body = rest.subspan(reader.position(), static_cast<size_t>(header.packed_bytes));
  ParquetPage page;
  page.end = offset + reader.position() + body.size();
  const bool is_data = header.kind == kDataPage || header.kind == kDataPageV2;
  if (!is_data && header.kind != kDictionaryPage) {
    return page;
  }
  if (!header.has_details || header.values < 0 || header.coding < 0 || header.coding > 9) {
    return data_loss("a page of {} values in coding {}", header.values, header.coding);
  }
  FOREBAY_RETURN_IF_ERROR(check_page_checksum(header, body));
  page.kind = is_data ? ParquetPage::Kind::kData : ParquetPage::Kind::kDictionary;
  page.values = static_cast<uint64_t>(header.values);
  page.coding = static_cast<ParquetCoding>(header.coding);
  if (header.kind == kDataPageV2) {
    FOREBAY_RETURN_IF_ERROR(divide_v2(header, leaf, body, compression, &page));
    return page;
  }
  FOREBAY_ASSIGN_OR_RETURN(
      page.content, content_of(body, static_cast<uint64_t>(header.unpacked_bytes), compression, &page));
  if (is_data) {
    FOREBAY_RETURN_IF_ERROR(divide_v1(header, leaf, &page));
  }
  return page;
}

}  // namespace forebay::dataset
