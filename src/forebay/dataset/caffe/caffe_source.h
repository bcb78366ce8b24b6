// Pictures and labels out of LMDB databases of Caffe (a Datum each) and Caffe2 (TensorProtos).
//
// A picture: the encoded bytes, uint8 [n], or pixels, uint8 [height, width, channels].
#pragma once

#include <memory>
#include <string>

#include "forebay/dataset/lmdb/lmdb_source.h"

namespace forebay::dataset {

/// Fields: {the picture}, {the label, int32 [1]}.
struct CaffeOptions : LmdbOptions {
  bool image_available = true;
  bool label_available = true;

  int num_fields() const { return (image_available ? 1 : 0) + (label_available ? 1 : 0); }
};

/// How labels are kept. The numbers are Caffe2's.
enum class Caffe2Labels : int64_t {
  kSingle = 0,          // one class: [1]
  kSparse = 1,          // numbers of classes, given as [num_labels] of 0 and 1
  kDense = 2,           // [n], as they are
  kWeightedSparse = 3,  // numbers of classes and, in the next tensor, weights: float [num_labels]
  kNone = 4,
};

/// Fields: {the picture}, {the labels, int32 or float}, {each of additional_inputs, [n]}, {the box, int32
/// [4]}.
struct Caffe2Options : LmdbOptions {
  bool image_available = true;
  Caffe2Labels label_type = Caffe2Labels::kSingle;
  int64_t num_labels = 1;
  int64_t additional_inputs = 0;
  bool bbox = false;

  int num_fields() const;
};

/// invalid_argument for options that contradict each other.
Status check(const CaffeOptions& options);
Status check(const Caffe2Options& options);

Result<std::shared_ptr<Source>> make_caffe_source(const CaffeOptions& options);
Result<std::shared_ptr<Source>> make_caffe2_source(const Caffe2Options& options);

}  // namespace forebay::dataset
