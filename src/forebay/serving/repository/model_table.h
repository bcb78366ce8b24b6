// Which versions of which models are there, in which state, and who may use them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/model.h"
#include "forebay/serving/repository/served_model.h"

namespace forebay::serving {

/// Thread safe; no call takes long.
class ModelTable {
 public:
  /// A model and a use of it: as long as it is there, the model is not closed (but see ServedModel::close()).
  struct InUse {
    ServedModel* model;
    UseOfModel use;
  };
  /// What nobody finds any more: whoever gets it closes it.
  using Retired = std::vector<std::shared_ptr<ServedModel>>;

  /// The version that is named, or the newest that is ready. not_found for what is unknown, with the name
  /// that is nearest; unavailable, with the reason, for what is not ready.
  Result<InUse> use(const std::string& name, const std::string& version) const;
  /// All versions that are ready; of all models where `name` is empty.
  std::vector<InUse> use_all(const std::string& name) const;
  /// Found, and its Model::status() is OK.
  bool is_ready(const std::string& name, const std::string& version) const;
  bool has(const std::string& name) const;
  /// UNAVAILABLE, with the reason, is also what is loaded and whose Model::status() is not OK.
  std::vector<ModelIndexEntry> index() const;
  /// Whether `name` is `other`, or an ensemble that has `other` as a member, or a member's member.
  bool needs(const std::string& name, const std::string& other) const;

  /// These versions are being loaded; those that are ready stay so until put().
  void begin_loading(const std::string& name, const std::set<int64_t>& versions);
  /// A version is loaded, or has failed: then the one before stays.
  Retired put(const std::string& name, int64_t version, Result<std::shared_ptr<ServedModel>> served);
  /// The model could not be loaded at all, before its versions were known.
  void fail(const std::string& name, const Status& error);
  /// Takes out all versions but `kept`; they are unloading until end_of_unloading().
  Retired take_out(const std::string& name, const std::set<int64_t>& kept);
  void end_of_unloading(const std::string& name);
  /// After a load that failed: what still counts as being loaded is not.
  void end_of_loading(const std::string& name, const Status& error);
  /// Takes out what is no member of an ensemble that is there; of ensembles that hold each other in a ring
  /// all. Called until it gives nothing, with each taken model closed before the next call, it empties the
  /// table in an order in which every ensemble keeps its members until it is closed.
  Retired take_unneeded();

 private:
  enum class State : int8_t { kLoading, kReady, kUnloading, kUnavailable };
  struct Version {
    State state = State::kUnavailable;
    std::string reason;
    std::shared_ptr<ServedModel> served;  // there while it is ready
  };
  using Versions = std::map<int64_t, Version>;

  static std::string_view name_of(State state);
  /// The names of the members of the ensembles that are served under `name`.
  std::set<std::string> members_of(const std::string& name) const FOREBAY_REQUIRES(mutex_);
  Result<const Version*> find(const std::string& name, const std::string& version) const
      FOREBAY_REQUIRES(mutex_);
  Result<const Version*> find_newest(const std::string& name, const Versions& versions) const
      FOREBAY_REQUIRES(mutex_);
  Status unknown_model(const std::string& name) const FOREBAY_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, Versions> models_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::serving
