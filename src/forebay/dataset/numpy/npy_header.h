// The header of an .npy file (numpy.lib.format, versions 1 to 3): a magic word, the version, the length of a
// Python dictionary, and the dictionary, such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
#pragma once

#include <cstdint>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/tensor/dtype.h"
#include "forebay/tensor/shape.h"

namespace forebay::dataset {

/// The beginning of a file that says how long its header is.
inline constexpr uint64_t kNpyPrefixBytes = 12;

struct NpyHeader {
  tensor::DType dtype = tensor::DType::kNone;
  tensor::Shape shape;
  bool is_fortran = false;    // the first axis is the innermost one in the file
  uint64_t offset_bytes = 0;  // where the elements begin

  uint64_t size_bytes() const { return static_cast<uint64_t>(shape.volume()) * tensor::size_of(dtype); }
};

/// Where the elements begin, from the first kNpyPrefixBytes of the file: data_loss if it is no .npy file, or
/// its header is longer than any that makes sense.
Result<uint64_t> npy_header_bytes(Bytes prefix);

/// `begin`: the file as far as its elements, or further. data_loss for a malformed header; unimplemented for
/// elements that are no numbers of this machine's byte order.
Result<NpyHeader> parse_npy_header(Bytes begin);

}  // namespace forebay::dataset
