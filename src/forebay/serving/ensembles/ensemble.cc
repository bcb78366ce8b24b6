// Plans once, runs for every request.
#include "forebay/serving/ensembles/ensemble.h"

#include <utility>

#include "forebay/serving/ensembles/ensemble_plan.h"
#include "forebay/serving/ensembles/ensemble_run.h"

namespace forebay::serving {

Result<std::shared_ptr<Model>> Ensemble::create(ModelMetadata metadata,
                                                const std::vector<EnsembleStep>& steps, ModelServer& server,
                                                const Clock& clock) {
  FOREBAY_ASSIGN_OR_RETURN(EnsemblePlan plan, plan_ensemble(metadata, steps, server));
  metadata.platform = kEnsemblePlatform;
  return std::shared_ptr<Model>(new Ensemble(std::move(metadata), std::move(plan), server, clock));
}

Ensemble::Ensemble(ModelMetadata metadata, EnsemblePlan plan, ModelServer& server, const Clock& clock)
    : metadata_(std::move(metadata)),
      plan_(std::make_shared<const EnsemblePlan>(std::move(plan))),
      server_(server),
      clock_(clock),
      runs_(std::make_shared<EnsembleRuns>()) {
}

Ensemble::~Ensemble() {
  close(steady_clock().now_ns());
}

void Ensemble::infer(InferRequest request, InferAnswer answer) {
  auto run =
      std::make_shared<EnsembleRun>(plan_, server_, clock_, runs_, std::move(request), std::move(answer));
  if (!runs_->add(run)) {
    run->fail(unavailable("the ensemble is being unloaded"));
    return;
  }
  run->begin();
}

Status Ensemble::status() const {
  for (const EnsemblePlan::Step& step : plan_->steps) {
    if (!server_.is_model_ready(step.model, step.version)) {
      return unavailable("{} is not ready", step.where);
    }
  }
  return ok_status();
}

void Ensemble::close(int64_t deadline_ns) {
  runs_->close(deadline_ns);
}

}  // namespace forebay::serving
