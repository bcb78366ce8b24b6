#include "forebay/dataset/coco/preprocessed_lists.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "forebay/dataset/coco/coco_annotations.h"
#include "forebay/dataset/coco/mask_runs.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/memory/copy.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kCountBytes = sizeof(uint32_t);
constexpr uint64_t kMaskHeadBytes = 3 * sizeof(uint64_t);
constexpr uint64_t kMaxOfList = std::numeric_limits<int32_t>::max();

/// A file of the folder.
struct ListFile {
  std::string_view name;
  size_t numbers = 1;  // of an element
  const char* needs =
      nullptr;  // what the annotations were saved without if there is no file; null: it is empty
  bool is_wanted = true;
};

constexpr const char* kAlways = "any images";
constexpr const char* kPolygons = "polygon_masks or pixelwise_masks";
constexpr const char* kMasks = "pixelwise_masks";
constexpr const char* kIds = "image_ids";

/// Calls visit(file, list) for each list that is not of text.
template <class Lists, class Visit>
Status visit_lists(Lists& lists, const PreprocessedParts& parts, const Visit& visit) {
  const bool has_polygons = parts.polygons || parts.masks;
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"offsets.dat", 1, kAlways}, lists.object_offsets));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"boxes.dat"}, lists.boxes));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"labels.dat"}, lists.labels));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"counts.dat", 1, kAlways}, lists.object_counts));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"polygon_data.dat", 3, nullptr, has_polygons}, lists.polygons));
  FOREBAY_RETURN_IF_ERROR(
      visit(ListFile{"polygon_offset.dat", 1, kPolygons, has_polygons}, lists.polygon_offsets));
  FOREBAY_RETURN_IF_ERROR(
      visit(ListFile{"polygons_count.dat", 1, kPolygons, has_polygons}, lists.polygon_counts));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"vertices.dat", 2, nullptr, has_polygons}, lists.vertices));
  FOREBAY_RETURN_IF_ERROR(
      visit(ListFile{"vertices_offset.dat", 1, kPolygons, has_polygons}, lists.vertex_offsets));
  FOREBAY_RETURN_IF_ERROR(
      visit(ListFile{"vertices_count.dat", 1, kPolygons, has_polygons}, lists.vertex_counts));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"masks_rles.dat", 1, nullptr, parts.masks}, lists.masks));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"masks_rles_idx.dat", 1, nullptr, parts.masks}, lists.mask_objects));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"masks_offset.dat", 1, kMasks, parts.masks}, lists.mask_offsets));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"mask_count.dat", 1, kMasks, parts.masks}, lists.mask_counts));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"heights.dat", 1, kMasks, parts.masks}, lists.heights));
  FOREBAY_RETURN_IF_ERROR(visit(ListFile{"widths.dat", 1, kMasks, parts.masks}, lists.widths));
  return visit(ListFile{"original_ids.dat", 1, kIds, parts.ids}, lists.ids);
}

constexpr ListFile kNames{"filenames.dat"};

/// Reads lists, each from its file.
class ListReader {
 public:
  ListReader(const OpenList& open, const std::string& folder) : open_(open), folder_(folder) {}

  template <class T>
  Status operator()(const ListFile& list, std::vector<T>& to) const {
    FOREBAY_ASSIGN_OR_RETURN(const auto file, opened(list));
    if (file == nullptr) {
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t count, count_of(*file, list));
    const uint64_t bytes = count * list.numbers * sizeof(T);
    if (file->size_bytes() - kCountBytes != bytes) {
      return data_loss("{}/{}: {} elements take {} bytes, but {} are there, at byte {}", folder_, list.name,
                       count, bytes, file->size_bytes() - kCountBytes, kCountBytes);
    }
    to.resize(count * list.numbers);
    return count == 0 ? ok_status()
                      : file->read(kCountBytes, std::as_writable_bytes(std::span(to.data(), to.size())));
  }

  Status operator()(const ListFile& list, PreprocessedMasks& masks) const {
    FOREBAY_ASSIGN_OR_RETURN(const auto file, opened(list));
    if (file == nullptr) {
      return ok_status();
    }
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t count, count_of(*file, list));
    WindowReader reader(*file);
    uint64_t at = kCountBytes;
    for (uint64_t i = 0; i < count; ++i) {
      FOREBAY_RETURN_IF_ERROR(annotate(read_mask(reader, &at, masks), name_of(list)));
    }
    return at == file->size_bytes() ? ok_status()
                                    : data_loss("{}/{}: bytes follow the last of {} masks, at byte {}",
                                                folder_, list.name, count, at);
  }

  Status read_names(std::vector<std::string>& names) const {
    FOREBAY_ASSIGN_OR_RETURN(const auto file, opened(kNames));
    if (file == nullptr) {
      return not_found(
          "{}/{}: there is no such file; it comes last, so the annotations were not saved to the end; save "
          "them again",
          folder_, kNames.name);
    }
    std::string text(file->size_bytes(), '\0');
    if (!text.empty()) {
      FOREBAY_RETURN_IF_ERROR(file->read(0, std::as_writable_bytes(std::span(text.data(), text.size()))));
    }
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      if (end == begin || names.size() == kMaxOfList) {
        return data_loss("{}/{}: {}, at byte {}", folder_, kNames.name,
                         end == begin ? "a line without a name" : "too many names", begin);
      }
      names.emplace_back(text, begin, end - begin);
      begin = end + 1;
    }
    return ok_status();
  }

 private:
  std::string name_of(const ListFile& list) const { return fmt::format("{}/{}", folder_, list.name); }

  /// Null if there is no file, and none is needed.
  Result<std::shared_ptr<const ByteSource>> opened(const ListFile& list) const {
    if (!list.is_wanted) {
      return std::shared_ptr<const ByteSource>();
    }
    Result<std::shared_ptr<const ByteSource>> file = open_(list.name);
    if (file.status().code() != StatusCode::kNotFound) {
      return file;
    }
    if (list.needs != nullptr) {
      return not_found("{}/{}: there is no such file; the annotations were saved without {}, or not there",
                       folder_, list.name, list.needs);
    }
    return std::shared_ptr<const ByteSource>();
  }

  Result<uint64_t> count_of(const ByteSource& file, const ListFile& list) const {
    uint32_t count = 0;
    if (file.size_bytes() < kCountBytes) {
      return data_loss("{}/{}: {} bytes, less than the number of elements takes, at byte 0", folder_,
                       list.name, file.size_bytes());
    }
    FOREBAY_RETURN_IF_ERROR(file.read(0, std::as_writable_bytes(std::span(&count, 1))));
    if (count > kMaxOfList) {
      return data_loss("{}/{}: {} elements are more than {}, at byte 0", folder_, list.name, count,
                       kMaxOfList);
    }
    return count;
  }

  static Status read_mask(WindowReader& reader, uint64_t* at, PreprocessedMasks& masks) {
    if (reader.size_bytes() - *at < kMaskHeadBytes) {
      return data_loss("the file ends within mask {}, at byte {}", masks.size(), *at);
    }
    uint64_t head[3];
    FOREBAY_ASSIGN_OR_RETURN(const Bytes words, reader.at(*at, kMaskHeadBytes));
    std::memcpy(head, words.data(), sizeof(head));
    const auto [height, width, count] = head;
    constexpr uint64_t kMaxPixels = kMaxMaskPixels;
    if (height == 0 || width == 0 || width > kMaxPixels || height > kMaxPixels / width) {
      return data_loss("mask {} is {} x {} pixels large, at byte {}", masks.size(), width, height, *at);
    }
    const uint64_t left = reader.size_bytes() - *at - kMaskHeadBytes;
    if (count == 0 || count > left / sizeof(uint32_t)) {
      return data_loss("mask {} has {} runs, and {} bytes follow, at byte {}", masks.size(), count, left,
                       *at);
    }
    FOREBAY_ASSIGN_OR_RETURN(const Bytes lengths, reader.at(*at + kMaskHeadBytes, count * sizeof(uint32_t)));
    const size_t begin = masks.runs.size();
    masks.runs.resize(begin + count);
    memory::copy(masks.runs.data() + begin, lengths.data(), lengths.size());
    const Status fits = check_runs(std::span(masks.runs).subspan(begin), height * width);
    if (!fits.ok()) {
      return data_loss("mask {}: {}, at byte {}", masks.size(), message(fits), *at);
    }
    masks.heights.push_back(static_cast<int64_t>(height));
    masks.widths.push_back(static_cast<int64_t>(width));
    masks.run_ends.push_back(masks.runs.size());
    *at += kMaskHeadBytes + lengths.size();
    return ok_status();
  }

  const OpenList& open_;
  const std::string& folder_;
};

void append(std::vector<std::byte>& to, const void* from, size_t bytes) {
  const auto* begin = static_cast<const std::byte*>(from);
  to.insert(to.end(), begin, begin + bytes);
}

Status check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.empty() || name.find('\n') != std::string::npos) {
      return invalid_argument("the name '{}' {}, so that {} cannot hold it", name,
                              name.empty() ? "is empty" : "has a line break", kNames.name);
    }
  }
  return ok_status();
}

/// Writes lists, each to its file.
class ListWriter {
 public:
  ListWriter(const WriteList& write, const RemoveList& remove) : write_(write), remove_(remove) {}

  template <class T>
  Status operator()(const ListFile& list, const std::vector<T>& numbers) const {
    if (!list.is_wanted) {
      return remove_(list.name);
    }
    FOREBAY_ASSIGN_OR_RETURN(std::vector<std::byte> content, begun(list, numbers.size() / list.numbers));
    append(content, numbers.data(), numbers.size() * sizeof(T));
    return write_(list.name, content);
  }

  Status operator()(const ListFile& list, const PreprocessedMasks& masks) const {
    if (!list.is_wanted) {
      return remove_(list.name);
    }
    FOREBAY_ASSIGN_OR_RETURN(std::vector<std::byte> content, begun(list, masks.size()));
    size_t begin = 0;
    for (size_t i = 0; i < masks.size(); ++i) {
      const uint64_t count = masks.run_ends[i] - begin;
      const uint64_t head[3] = {static_cast<uint64_t>(masks.heights[i]),
                                static_cast<uint64_t>(masks.widths[i]), count};
      append(content, head, sizeof(head));
      append(content, masks.runs.data() + begin, count * sizeof(uint32_t));
      begin = masks.run_ends[i];
    }
    return write_(list.name, content);
  }

  Status write_names(const std::vector<std::string>& names) const {
    std::string text;
    for (const std::string& name : names) {
      text += name;
      text += '\n';
    }
    return write_(kNames.name, std::as_bytes(std::span(text)));
  }

 private:
  static Result<std::vector<std::byte>> begun(const ListFile& list, size_t count) {
    if (count > kMaxOfList) {
      return resource_exhausted("{} elements are more than {} can hold", count, list.name);
    }
    std::vector<std::byte> content;
    const auto stored = static_cast<uint32_t>(count);
    append(content, &stored, sizeof(stored));
    return content;
  }

  const WriteList& write_;
  const RemoveList& remove_;
};

}  // namespace

Result<PreprocessedLists> read_preprocessed_lists(const OpenList& open, const std::string& folder,
                                                  const PreprocessedParts& parts) {
  PreprocessedLists lists;
  const ListReader read(open, folder);
  FOREBAY_RETURN_IF_ERROR(visit_lists(lists, parts, read));
  FOREBAY_RETURN_IF_ERROR(read.read_names(lists.names));
  return lists;
}

Status write_preprocessed_lists(const PreprocessedLists& lists, const PreprocessedParts& parts,
                                const WriteList& write, const RemoveList& remove) {
  FOREBAY_RETURN_IF_ERROR(check_names(lists.names));
  FOREBAY_RETURN_IF_ERROR(remove(kNames.name));
  const ListWriter writer(write, remove);
  FOREBAY_RETURN_IF_ERROR(visit_lists(lists, parts, writer));
  return writer.write_names(lists.names);
}

}  // namespace forebay::dataset
