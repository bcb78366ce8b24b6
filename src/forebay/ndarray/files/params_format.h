// MXNet's file format for arrays (`mx.nd.save`; defined by src/ndarray/ndarray.cc of MXNet 1.9.1),
// little-endian:
//
//   file   u64 0x112 | u64 0 | u64 count | array... | u64 names (0 or count) | name...
//   name   u64 bytes | UTF-8
//   array  u32 magic | shape | i32 device type | i32 device | i32 element type | elements
//
//   magic 0xF993fac9  i32 storage type (0: dense) before the shape, i32 rank | i64 extent...; rank 0: no
//                     array
//   magic 0xF993faca  the same with NumPy's meaning: rank 0 is one element, extents may be 0
//   magic 0xF993fac8  no storage type
//   any other value   is the rank itself, and extents are u32
//
// Everything is checked against the bytes available. Arrays whose shape needs NumPy's meaning are written
// with the second magic, all others with the first. Sparse arrays are refused.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/ndarray/array.h"

namespace forebay::ndarray {

/// An array in a file and the offset of its elements.
struct ParamsEntry {
  ArraySpec spec;
  uint64_t offset_bytes = 0;
};

struct ParamsTable {
  std::vector<ParamsEntry> entries;
  std::vector<std::string> names;  // one per entry, or empty; all distinct
};

/// The arrays of a file, without their elements. data_loss with offset and cause for a malformed file or one
/// of another kind, unimplemented for sparse arrays and element types that arrays do not have.
Result<ParamsTable> parse_params(const ByteSource& source);

/// Receives the bytes of a file in order.
using ByteSink = std::function<Status(Bytes)>;

/// Writes a file. There are as many `names` as arrays, or none.
Status write_params(std::span<const tensor::TensorView> arrays, std::span<const std::string> names,
                    const ByteSink& sink);

}  // namespace forebay::ndarray
