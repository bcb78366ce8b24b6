// Samples in TFRecord files, each a tf.train.Example.
//
// Fields: one for each feature, in the order given. Strings: uint8 [n], the bytes where they were read.
// Numbers: int64 or float, of the feature's shape (FixedLen), or [count] (VarLen), or [count / volume,
// shape...] (VarLen with a shape).
//
// Where DALI leaves memory as it was, this gives values: a FixedLen feature that is missing, or shorter than
// its shape, is filled with its default; a missing VarLen feature has no elements. A feature of another kind
// than asked for, or with more elements than its shape has, is data_loss.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/tfrecord/example.h"
#include "forebay/tensor/shape.h"

namespace forebay::dataset {

struct FeatureSpec {
  std::string name;
  FeatureKind kind = FeatureKind::kInt64;
  bool is_fixed = true;  // FixedLenFeature; else VarLenFeature
  tensor::Shape shape;   // FixedLen: of the tensor; VarLen: behind the first extent, if rank > 0
  int64_t default_int64 = 0;
  float default_float = 0;
  std::string default_string;
};

struct TfrecordOptions : SourceOptions {
  std::vector<std::string> path;
  /// As many as `path`, as tfrecord2idx writes them: lines "offset size". Empty: the files are scanned, from
  /// length to length, with the checksum of every length checked.
  std::vector<std::string> index_path;
  /// None: samples without fields, for whoever makes the index only; it is the same for all features.
  std::vector<FeatureSpec> features;
  /// Also check the checksum of every record that is read.
  bool verify_checksums = false;
};

/// invalid_argument for features that have no meaning (strings with a shape of more than one element, as in
/// DALI); and, when no file has a record, why. A file that is cut within a record's content is indexed to its
/// end; that sample alone fails, when it is read. What lies behind a damaged length, and a file that is
/// missing or may not be read, is one sample whose read fails; so is a file that is no TFRecord.
Result<std::shared_ptr<Source>> make_tfrecord_source(const TfrecordOptions& options);

}  // namespace forebay::dataset
