// Hand-made files of records and of keys and values, for tests: RecordIO, LMDB, and what Caffe keeps in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace forebay::dataset::testing {

/// A RecordIO part; `position`: 0 whole, 1 first, 2 middle, 3 last.
std::string recordio_part_of(std::string_view data, uint32_t position = 0);
/// The data of a picture's record, with one label or a list of them.
std::string image_record_of(float label, std::string_view picture);
std::string image_record_of(const std::vector<float>& labels, std::string_view picture);

/// An LMDB file. `items` are in the order of their keys. Values that do not fit into half a page have pages
/// of their own.
std::string lmdb_file_of(const std::vector<std::pair<std::string, std::string>>& items,
                         uint32_t page_bytes = 4096);

/// A Datum of encoded bytes.
std::string datum_of(std::string_view picture, int64_t label);
/// A Datum of pixels.
std::string datum_of_pixels(std::string_view pixels, int64_t channels, int64_t height, int64_t width,
                            int64_t label);

/// Caffe2's tensors, each of them a part of the message.
std::string tensor_protos_of(const std::vector<std::string>& protos);
std::string int32_proto(const std::vector<int32_t>& values);
std::string float_proto(const std::vector<float>& values);
std::string picture_proto(std::string_view encoded);

/// A varint field of a protocol buffer.
std::string varint_field(uint32_t number, uint64_t value);

}  // namespace forebay::dataset::testing
