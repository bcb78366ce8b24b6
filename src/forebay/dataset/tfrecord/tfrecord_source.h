// Samples from TFRecord files, each a tf.train.Example.
//
// Fields: one for each feature, in the given order. Strings: uint8 [n], the bytes where they were read.
// Numbers: int64 or float, of the feature's shape (FixedLen), or [count] (VarLen), or [count / volume,
// shape...] (VarLen with a shape).
//
// Where DALI leaves memory uninitialised, values are defined here: a FixedLen feature that is missing or
// shorter than its shape is filled with its default; a missing VarLen feature has no elements. A feature of
// another kind than requested, or with more elements than its shape has, gives data_loss. Features that none
// of the first records has are warned of.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/order/order.h"
#include "forebay/dataset/tfrecord/example.h"
#include "forebay/tensor/shape.h"

namespace forebay::dataset {

struct FeatureSpec {
  std::string name;
  FeatureKind kind = FeatureKind::kInt64;
  bool is_fixed = true;  // FixedLenFeature; else VarLenFeature
  // FixedLen: the tensor's shape; VarLen with rank > 0: its shape after the first extent.
  tensor::Shape shape;
  int64_t default_int64 = 0;
  float default_float = 0;
  std::string default_string;
  bool is_required = false;  // it has no default: a record without it gives data_loss
};

struct TfrecordOptions : SourceOptions {
  /// Which may have braces and wildcards, as `index_path` may: see expand_paths().
  std::vector<std::string> path;
  /// As many as `path`, as tfrecord2idx writes them: lines "offset size". Empty: the files are scanned from
  /// length to length, and every length's checksum is checked.
  std::vector<std::string> index_path;
  /// Empty: samples without fields, which is only useful for making the index; the index is the same for all
  /// features.
  std::vector<FeatureSpec> features;
  /// Also checks the checksum of every record that is read.
  bool verify_checksums = false;
};

/// invalid_argument for options that contradict each other.
Status check(const TfrecordOptions& options);

/// invalid_argument for features that make no sense (strings with a shape of more than one element, as in
/// DALI). If no file has a record, the reason is returned. A file truncated within a record's content is
/// indexed to its end; only that sample fails, when it is read. Everything behind a damaged length counts as
/// one sample whose read fails, and so does a file that is missing, unreadable, or no TFRecord.
Result<std::shared_ptr<Source>> make_tfrecord_source(const TfrecordOptions& options);

/// The same; where files are far it is a GrowingSource, whose samples can be read in this order while others
/// are found.
Result<std::shared_ptr<Source>> open_tfrecord_source(const TfrecordOptions& options,
                                                     const OrderOptions& order);

}  // namespace forebay::dataset
