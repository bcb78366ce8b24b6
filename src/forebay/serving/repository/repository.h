// A folder of models behind the doors of the server: finds them, loads and unloads them while it serves, and
// gives each request to the version that it names.
//
// Loads run one after the other on a thread of the repository; what is replaced or unloaded is closed on
// another, once the requests that use it have their answers. A version is loaded in full before it takes the
// place of the one before; if it fails, that one stays.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/base/sync/job_thread.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"
#include "forebay/base/units.h"
#include "forebay/serving/inference/model.h"
#include "forebay/serving/repository/model_files.h"
#include "forebay/serving/repository/model_maker.h"
#include "forebay/serving/repository/model_table.h"

namespace forebay::serving {

/// Who says which models are there.
enum class ModelControl : int8_t {
  kNone,      // the folder, at the start
  kPoll,      // the folder, looked at again and again
  kExplicit,  // load() and unload()
};

struct RepositoryOptions {
  std::string root;
  std::vector<ModelKind> kinds;
  ModelControl control = ModelControl::kNone;
  std::vector<std::string> models_at_start;  // of kExplicit; "*": all
  int64_t poll_interval_ns = 15 * kSecond;
  /// How long requests may still take on a model that is unloaded or replaced.
  int64_t unload_grace_ns = 30 * kSecond;
  size_t max_waiting_loads = 1000;
  /// For polling and for batches; null: timers of their own.
  std::shared_ptr<Timer> timer;
};

/// Thread safe.
class Repository final : public ModelServer {
 public:
  /// Begins to load what is to be loaded at the start, and returns. not_found if the root is no folder.
  static Result<std::unique_ptr<Repository>> open(RepositoryOptions options);
  ~Repository() override;
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  /// Until the models of the start are loaded, or have failed: then the first error. deadline_exceeded after
  /// `deadline_ns` (steady_clock()); cancelled once `stop` is asked to stop.
  Status wait_until_started(int64_t deadline_ns, std::stop_token stop = {});
  /// Nothing is loaded any more: a load that is under way is given up, and those that have not begun are
  /// refused here.
  void stop_loading();
  /// stop_loading(), and unloads everything: ensembles first, then their members. Requests under way may end
  /// until `deadline_ns`. Not from an answer.
  void close(int64_t deadline_ns);

  void infer(InferRequest request, InferAnswer answer) override;
  bool is_live() const override;
  bool is_ready() const override;
  bool is_model_ready(const std::string& name, const std::string& version) const override;
  Result<ModelMetadata> metadata(const std::string& name, const std::string& version) const override;
  Result<std::string> config_json(const std::string& name, const std::string& version) const override;
  Result<std::vector<ModelStatistics>> statistics(const std::string& name,
                                                  const std::string& version) const override;
  /// Models of the folder that were never loaded have no state. The folder is read where its time of change
  /// is another than at the last look.
  std::vector<ModelIndexEntry> index(bool only_ready) const override;
  /// Loads an ensemble's members too, where they are not ready. failed_precondition unless the control is
  /// kExplicit.
  void load(const std::string& name, absl::AnyInvocable<void(Status)> done) override;
  void unload(const std::string& name, absl::AnyInvocable<void(Status)> done) override;

 private:
  using Done = absl::AnyInvocable<void(Status)>;
  /// One load with all that it brings: no model is loaded twice, and no ensemble holds itself.
  struct Load {
    std::vector<std::string> chain;         // ensembles that wait for their members
    std::map<std::string, Status> results;  // of what was loaded
  };
  struct Tick;

  explicit Repository(RepositoryOptions options);
  /// Puts a job on the thread of loads; if it cannot, or is refused later, `done` is told.
  void add_load(Done done, absl::AnyInvocable<void(Done)> job);

  // On the thread of loads.
  void start();
  Status load_at_start();
  Status load_now(const std::string& name, Load* load);
  Status load_found(const std::string& name, Load* load);
  Status load_versions(const FoundModel& found, const ModelConfig& config);
  Status load_members(const ModelConfig& config, Load* load);
  void unload_now(const std::string& name, Done done);
  /// Loads what has changed in the folder, and unloads what has gone. The first error.
  Status load_changes();
  Status load_if_changed(const std::string& name, Load* load);
  bool is_ensemble(const FoundModel& model) const;
  /// Reads the folder, and keeps what it finds for index(). On any thread.
  Result<std::vector<std::string>> look_at_folder() const;
  void end_of_start(const Status& status);

  /// Closes what nobody finds any more, on the thread of closes, and calls `then`.
  void retire(ModelTable::Retired retired, int64_t deadline_ns, absl::AnyInvocable<void()> then);
  void close_models(ModelTable::Retired retired, int64_t deadline_ns);
  void close_all(int64_t deadline_ns);
  void poll();
  void set_poll_timer();

  const RepositoryOptions options_;
  const std::shared_ptr<Timer> timer_;
  const std::shared_ptr<Tick> tick_;  // shared with the timer
  const ModelMaker maker_;
  ModelTable table_;
  std::map<std::string, std::string> polled_;  // model -> state_of_files(); the thread of loads'

  std::stop_source loading_;

  mutable Mutex mutex_;
  std::condition_variable started_;
  /// What the last look at the folder found.
  struct Seen {
    std::vector<std::string> names;
    std::set<std::string> ignored;  // files that the log has named
    int64_t changed_ns = 0;         // the folder's time of change; 0: it is to be read again
    int64_t looked_ns = 0;          // when
  };
  mutable Seen seen_ FOREBAY_GUARDED_BY(mutex_);
  std::set<std::string> at_start_ FOREBAY_GUARDED_BY(mutex_);
  bool is_started_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closing_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status start_error_ FOREBAY_GUARDED_BY(mutex_);
  ModelTable::Retired stuck_ FOREBAY_GUARDED_BY(mutex_);  // closed and still used: kept until the end

  JobThread loads_;
  JobThread closes_;
};

}  // namespace forebay::serving
