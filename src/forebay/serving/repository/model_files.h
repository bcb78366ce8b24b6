// Where a repository keeps its models: which names it has, which versions, and of what kind each is.
//
// ROOT/NAME/config.pbtxt         what is said of the model; may be missing
// ROOT/NAME/VERSION/model.onnx   a version, a number; the file's name tells the kind
// ROOT/NAME/model.py             without folders of versions: version 1
// ROOT/NAME.onnx                 a model of one file: version 1
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/serving/inference/model.h"
#include "forebay/serving/repository/model_config.h"

namespace forebay::serving {

/// What a loader gets.
struct ModelFiles {
  std::string name;
  std::string version;
  std::string folder;          // ROOT/NAME; of a model of one file ROOT
  std::string version_folder;  // ROOT/NAME/VERSION, or `folder` where there is none
  std::string file;            // what is to be loaded
  std::stop_token stop;        // asked to stop once nobody waits for the model any more
};

using ModelLoader = std::function<Result<std::shared_ptr<Model>>(const ModelFiles&, const ModelConfig&)>;

/// A kind of model: how it is told from others, and how it is loaded.
struct ModelKind {
  std::string name;                    // for messages
  std::vector<std::string> backends;   // values of the configuration's `backend`
  std::vector<std::string> platforms;  // and of its `platform`
  std::vector<std::string> files;      // names in the folder of a version
  std::vector<std::string> suffixes;   // of models of one file: ".onnx"
  /// Looks into a file whose name several kinds have; null: the name is enough.
  std::function<bool(const std::string& file)> recognises;
  /// Whether a file directly in the root is a model, and nothing that models share; null: as `recognises`.
  std::function<bool(const std::string& file)> recognises_single;
  /// It forms batches of requests by itself; the configuration's `dynamic_batching` is its own affair.
  bool batches_itself = false;
  /// Called on the repository's thread of loads; may take long.
  ModelLoader load;
};

struct FoundVersion {
  int64_t number = 1;
  std::string folder;
};

struct FoundModel {
  std::string name;
  std::string folder;
  std::string config;                  // ROOT/NAME/config.pbtxt; empty: there is none
  std::string file;                    // of a model of one file
  std::vector<FoundVersion> versions;  // in order of their numbers
};

/// invalid_argument for names that would lead out of the root, or that are no text.
Status check_model_name(const std::string& name);

/// What a look at the root finds.
struct FoundNames {
  std::vector<std::string> models;   // in order
  std::vector<std::string> ignored;  // files that look like models and are none: utils.py
};
Result<FoundNames> model_names(const std::string& root, const std::vector<ModelKind>& kinds);

/// not_found, with the name that is nearest, where there is none; invalid_argument where there are two.
Result<FoundModel> find_model(const std::string& root, const std::vector<ModelKind>& kinds,
                              const std::string& name);

/// The versions that `policy` serves. Specific ones that are not there are named in the log; not_found if
/// none is there.
Result<std::vector<FoundVersion>> served_versions(const FoundModel& model, const VersionPolicy& policy);

/// Which kind a version is of, and its file: by `backend` or `platform` of the configuration where it says
/// so, otherwise by the file that is there.
struct KindAndFile {
  const ModelKind* kind = nullptr;
  std::string file;
};
Result<KindAndFile> find_kind(const std::vector<ModelKind>& kinds, const ModelConfig& config,
                              const FoundModel& model, const FoundVersion& version);

/// Names, sizes and times of all files of the model; it differs once one of them has changed.
std::string state_of_files(const FoundModel& model);

}  // namespace forebay::serving
