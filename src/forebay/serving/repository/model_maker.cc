// From files to a model that is served.
#include "forebay/serving/repository/model_maker.h"

#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/clock.h"
#include "forebay/base/utf8.h"
#include "forebay/serving/batching/dynamic_batcher.h"
#include "forebay/serving/ensembles/ensemble.h"

namespace forebay::serving {

Result<ModelConfig> ModelMaker::config_of(const FoundModel& model) const {
  ModelConfig config;
  if (!model.config.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(config, read_model_config(model.config));
  }
  if (!config.name.empty() && config.name != model.name) {
    return invalid_argument("{} names the model '{}', and its folder is {}", model.config,
                            printable(config.name), model.folder);
  }
  config.name = model.name;
  if (config.platform == kEnsemblePlatform && config.steps.empty()) {
    return invalid_argument("{}: the platform is 'ensemble', and ensemble_scheduling is missing",
                            model.config);
  }
  if (!config.steps.empty()) {
    config.platform = kEnsemblePlatform;
  }
  return config;
}

Result<ModelMaker::Loaded> ModelMaker::load(const FoundModel& model, const FoundVersion& version,
                                            const ModelConfig& config, const std::stop_token& stop) const {
  Loaded loaded;
  if (!config.steps.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(loaded.model, Ensemble::create(metadata_of(config), config.steps, server_));
    return loaded;
  }
  FOREBAY_ASSIGN_OR_RETURN(const KindAndFile found, find_kind(kinds_, config, model, version));
  ModelFiles files;
  files.name = model.name;
  files.version = std::to_string(version.number);
  files.folder = model.folder;
  files.version_folder = version.folder;
  files.file = found.file;
  files.stop = stop;
  FOREBAY_ASSIGN_OR_RETURN(loaded.model, found.kind->load(files, config));
  if (loaded.model == nullptr) {
    return internal_error("the loader of {} gave no model", found.kind->name);
  }
  loaded.batches_itself = found.kind->batches_itself;
  return loaded;
}

Result<std::shared_ptr<ServedModel>> ModelMaker::served(const Loaded& loaded, const FoundModel& found,
                                                        const FoundVersion& version,
                                                        const ModelConfig& config) const {
  FOREBAY_ASSIGN_OR_RETURN(const ModelConfig filled, filled_from(config, loaded.model->metadata()));
  std::shared_ptr<Model> model = loaded.model;
  if (filled.batching && !loaded.batches_itself) {
    model = std::make_shared<DynamicBatcher>(std::move(model), *filled.batching, timer_);
  }
  return ServedModel::create(std::move(model), filled, std::to_string(version.number), found.folder);
}

Result<std::shared_ptr<ServedModel>> ModelMaker::make(const FoundModel& found, const FoundVersion& version,
                                                      const ModelConfig& config,
                                                      const std::stop_token& stop) const {
  const std::string what = fmt::format("model '{}', version {}", found.name, version.number);
  Result<Loaded> loaded = caught([&] { return load(found, version, config, stop); });
  if (!loaded.ok()) {
    return annotate(loaded.status(), what);
  }
  Result<std::shared_ptr<ServedModel>> made = caught([&] { return served(*loaded, found, version, config); });
  if (!made.ok()) {
    loaded->model->close(steady_clock().now_ns());
    return annotate(made.status(), what);
  }
  return made;
}

}  // namespace forebay::serving
