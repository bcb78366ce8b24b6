// Saving where a session is, and going on from there.
#include "forebay/pipeline/core/core.h"
#include "forebay/pipeline/core/saved_state.h"

namespace forebay::pipeline {

Result<int> Session::check_states(const Plan& plan, std::span<const std::string> states) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<OpenReader> readers, open_readers(plan));
  FOREBAY_ASSIGN_OR_RETURN(const Resumption resumption, resume_from(states, plan, readers));
  FOREBAY_RETURN_IF_ERROR(orders_from(resumption.begin, readers).status());
  return resumption.own_state;
}

// Batches that were promised are the user's already: the state is the one behind them.
std::string Session::Core::state() {
  if (schedule_.has_promised()) {
    engine_->wait(handed_).IgnoreError();  // their errors are of their takers
  }
  SavedState state;
  state.position = delivered_.position();
  if (!runner_.readers().empty()) {
    const dataset::OrderOptions& order = runner_.readers().front().order().options();
    state.num_shards = order.num_shards;
    state.shard_id = order.shard_id;
    state.begin = order.begin;
  }
  return text_of(state, *plan_);
}

Status Session::Core::restore(std::span<const std::string> states) {
  FOREBAY_RETURN_IF_ERROR(await_samples());
  FOREBAY_ASSIGN_OR_RETURN(const Resumption resumption, resume_from(states, *plan_, runner_.readers()));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<dataset::Order> orders,
                           orders_from(resumption.begin, runner_.readers()));
  FOREBAY_RETURN_IF_ERROR(schedule_.go_on_from(resumption.position));
  runner_.set_orders(orders);
  delivered_.set_position(resumption.position);
  runner_.forget_kept_feeds();
  for (const auto& [node, feed] : options_.feeds) {
    FOREBAY_RETURN_IF_ERROR(feed->restore(resumption.position.feed));
  }
  return ok_status();
}

}  // namespace forebay::pipeline
