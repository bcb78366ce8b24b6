#include <nlohmann/json.hpp>

#include "forebay/dataset/tfrecord/tfrecord_source.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/readers/reader_arguments.h"

namespace forebay::operators {
namespace {

constexpr size_t kMostFeatures = 4096;

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
  }
  return feature;
}

Result<std::vector<dataset::FeatureSpec>> features_of(const std::string& text) {
  const auto rows = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!rows.is_array() || rows.empty() || rows.size() > kMostFeatures) {
    return invalid_argument("`features` must be a list of 1 to {} features in JSON", kMostFeatures);
  }
  std::vector<dataset::FeatureSpec> features;
  for (const auto& row : rows) {
    FOREBAY_ASSIGN_OR_RETURN(dataset::FeatureSpec feature, feature_of(row));
    features.push_back(std::move(feature));
  }
  return features;
}

}  // namespace

struct ReadersTfrecord : ReaderArguments {
  std::vector<std::string> path;
  std::vector<std::string> index_path;
  std::string features;
  bool use_o_direct = false;
  bool verify_checksums = false;
  std::vector<dataset::FeatureSpec> parsed;

  Status prepare(const Arguments&) {
    if (path.empty()) {
      return invalid_argument("`path` must have an entry");
    }
    if (!index_path.empty() && index_path.size() != path.size()) {
      return invalid_argument("{} `index_path` entries are given for {} of `path`", index_path.size(),
                              path.size());
    }
    FOREBAY_ASSIGN_OR_RETURN(parsed, features_of(features));
    return check();
  }

  int num_outputs() const { return static_cast<int>(parsed.size()); }

  Status run(Sample&) const { return internal_error("a reader is read through its source"); }

  Result<std::shared_ptr<dataset::Source>> open_source() const {
    dataset::TfrecordOptions options;
    set_source_options(options);
    options.path = path;
    options.index_path = index_path;
    options.features = parsed;
    options.verify_checksums = verify_checksums;
    return dataset::make_tfrecord_source(options);
  }
};

OperatorSpec readers_tfrecord() {
  using Op = ReadersTfrecord;
  return describe<Op>("readers.tfrecord", "Reads features of tf.train.Example records out of TFRecord files.")
      .param("path", &Op::path, "The TFRecord files.")
      .required()
      .param("index_path", &Op::index_path,
             "Index files as tfrecord2idx writes them; else the files are scanned.")
      .param("features", &Op::features,
             "The features, an output each: a dictionary of tfrecord.FixedLenFeature and VarLenFeature; as "
             "text, a "
             "JSON list of {\"name\", \"kind\": \"string\"|\"int64\"|\"float\", \"fixed\", \"shape\", "
             "\"default\"}.")
      .required()
      .param("use_o_direct", &Op::use_o_direct, "Accepted for compatibility; has no effect on results.")
      .param("verify_checksums", &Op::verify_checksums, "Also checks the checksum of each record's content.")
      .group([](auto& description) { add_reader_arguments(description); })
      .outputs("One for each feature, in the order given.")
      .matches("DALI fn.readers.tfrecord")
      .build();
}

}  // namespace forebay::operators
