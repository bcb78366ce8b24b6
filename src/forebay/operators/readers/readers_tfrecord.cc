#include <nlohmann/json.hpp>

#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {
namespace {

constexpr size_t kMaxFeatures = 4096;

Result<dataset::FeatureKind> kind_of(const std::string& name) {
  if (name == "string") {
    return dataset::FeatureKind::kString;
  }
  if (name == "int64") {
    return dataset::FeatureKind::kInt64;
  }
  if (name == "float") {
    return dataset::FeatureKind::kFloat;
  }
  return invalid_argument("a feature's kind is \"string\", \"int64\" or \"float\", not \"{}\"", name);
}

Status set_default(const nlohmann::json& value, dataset::FeatureSpec& feature) {
  if (feature.kind == dataset::FeatureKind::kString && value.is_string()) {
    feature.default_string = value.get<std::string>();
  } else if (feature.kind == dataset::FeatureKind::kInt64 && value.is_number_integer()) {
    feature.default_int64 = value.get<int64_t>();
  } else if (feature.kind == dataset::FeatureKind::kFloat && value.is_number()) {
    feature.default_float = value.get<float>();
  } else {
    return invalid_argument("the default of feature '{}' is not of its kind", feature.name);
  }
  return ok_status();
}

Result<dataset::FeatureSpec> feature_of(const nlohmann::json& row) {
  if (!row.is_object() || !row.contains("name") || !row["name"].is_string() || !row.contains("kind") ||
      !row["kind"].is_string()) {
    return invalid_argument("each feature needs a `name` and a `kind`");
  }
  dataset::FeatureSpec feature;
  feature.name = row["name"].get<std::string>();
  FOREBAY_ASSIGN_OR_RETURN(feature.kind, kind_of(row["kind"].get<std::string>()));
  const auto fixed = row.find("fixed");
  feature.is_fixed = fixed == row.end() || !fixed->is_boolean() || fixed->get<bool>();
  if (const auto shape = row.find("shape"); shape != row.end()) {
    if (!shape->is_array() || shape->size() > tensor::kMaxRank) {
      return invalid_argument("the shape of feature '{}' is not a list of at most {} numbers", feature.name,
                              tensor::kMaxRank);
    }
    for (const auto& extent : *shape) {
      if (!extent.is_number_integer() || extent.get<int64_t>() < 0) {
        return invalid_argument("the shape of feature '{}' has an entry that is not an extent", feature.name);
      }
      feature.shape.push_back(extent.get<int64_t>());
    }
  }
  if (const auto value = row.find("default"); value != row.end() && !value->is_null()) {
    FOREBAY_RETURN_IF_ERROR(set_default(*value, feature));
  } else {
    feature.is_required = feature.is_fixed;
  }
  return feature;
}

Result<std::vector<dataset::FeatureSpec>> features_of(const std::string& text) {
  const auto rows = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!rows.is_array() || rows.empty() || rows.size() > kMaxFeatures) {
    return invalid_argument("`features` must be a list of 1 to {} features in JSON", kMaxFeatures);
  }
  std::vector<dataset::FeatureSpec> features;
  for (const auto& row : rows) {
    FOREBAY_ASSIGN_OR_RETURN(dataset::FeatureSpec feature, feature_of(row));
    features.push_back(std::move(feature));
  }
  return features;
}

}  // namespace

template <>
struct ParameterTraits<std::vector<dataset::FeatureSpec>> {
  static constexpr ArgumentKind kKind = ArgumentKind::kString;
  static constexpr bool kAcceptsTensor = false;
  static Value to_value(const std::vector<dataset::FeatureSpec>&) { return ""; }
  static Result<std::vector<dataset::FeatureSpec>> from_value(const Value& value) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string text, to_text(value));
    return features_of(text);
  }
};

struct ReadersTfrecord : Reader<dataset::TfrecordOptions, dataset::open_tfrecord_source> {
  int num_outputs() const { return static_cast<int>(features.size()); }
};

OperatorSpec readers_tfrecord() {
  using Op = ReadersTfrecord;
  return describe<Op>("readers.tfrecord", "Reads features of tf.train.Example records out of TFRecord files.")
      .param("path", &Op::path,
             "The TFRecord files, which may not be compressed as a whole. A name may stand for several: "
             "s-{000..099}.tfrecord in that order, {a,b}.tfrecord, s-*.tfrecord and s-[0-4].tfrecord sorted.")
      .required()
      .param("index_path", &Op::index_path,
             "Index files as tfrecord2idx writes them, named in the same ways; else the files are scanned.")
      .param("features", &Op::features,
             "The features, an output each: a dictionary of tfrecord.FixedLenFeature and VarLenFeature; as "
             "text, a "
             "JSON list of {\"name\", \"kind\": \"string\"|\"int64\"|\"float\", \"fixed\", \"shape\", "
             "\"default\"}. A record without a fixed feature that has no default is a broken sample; of a "
             "feature that none of the first 100 records has, a warning says so.")
      .required()
      .ignored("use_o_direct", false, "Accepted for compatibility; has no effect on results.")
      .param("verify_checksums", &Op::verify_checksums, "Also checks the checksum of each record's content.")
      .group(add_shard_arguments<Op>)
      .group(add_reader_arguments<Op>)
      .outputs("One for each feature, in the order given.")
      .matches("DALI fn.readers.tfrecord")
      .build();
}

}  // namespace forebay::operators
