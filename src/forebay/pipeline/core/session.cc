#include "forebay/pipeline/session/session.h"

#include "forebay/pipeline/core/core.h"

namespace forebay::pipeline {

Status SessionOptions::check(const Plan& plan) const {
  if (num_threads < 1 || num_threads > 4096) {
    return invalid_argument("num_threads={} must be from 1 to 4096", num_threads);
  }
  if (prefetch_depth < 1) {
    return invalid_argument("the prefetch depth {} must be at least 1", prefetch_depth);
  }
  if (plan.has_device_actions() && device == nullptr) {
    return failed_precondition("the graph has GPU operators and the session was given no device");
  }
  return ok_status();
}

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const Plan> plan, SessionOptions options) {
  auto core = std::make_shared<Core>(std::move(plan), std::move(options));
  FOREBAY_RETURN_IF_ERROR(core->open());
  return std::unique_ptr<Session>(new Session(std::move(core)));
}

Session::~Session() {
  core_->finish_promised();
}

void Session::close() {
  core_->close();
}

Status Session::await_end(const std::function<bool()>& interrupted) {
  return core_->await_end(interrupted);
}

void Session::prefetch() {
  core_->prefetch();
}

Result<Delivery> Session::run(const std::function<bool()>& interrupted) {
  return core_->run(interrupted);
}

Status Session::run_later(absl::Span<const engine::Variable> writes, Taker take) {
  return core_->run_later(writes, std::move(take));
}

Result<bool> Session::reset_feeds() {
  return core_->reset_feeds();
}

std::string Session::state() const {
  return core_->state();
}

int64_t Session::iterations() const {
  return core_->iterations();
}

Status Session::restore(std::span<const std::string> states) {
  return core_->restore(states);
}

Result<std::vector<tensor::Tensor>> Session::replay(int64_t epoch, int64_t position) {
  return core_->replay(epoch, position);
}

ErrorLog Session::errors() const {
  return core_->errors();
}

uint64_t Session::error_count() const {
  return core_->error_count();
}

Explanation Session::explain() const {
  return core_->explain();
}

Result<dataset::ReaderMeta> Session::reader_meta(std::string_view name) const {
  return core_->reader_meta(name);
}

Result<dataset::ReaderMeta> Session::known_reader_meta(std::string_view name) const {
  return core_->known_reader_meta(name);
}

Result<bool> Session::has_samples(std::string_view reader, uint64_t samples) const {
  return core_->has_samples(reader, samples);
}

Result<EpochsLeft> Session::epochs_left(std::string_view reader) const {
  return core_->epochs_left(reader);
}

std::vector<std::string> Session::reader_names() const {
  return core_->reader_names();
}

const Budget& Session::budget() const {
  return core_->budget();
}

engine::Variable Session::next_ready() const {
  return core_->next_ready();
}

const Plan& Session::plan() const {
  return core_->plan();
}

}  // namespace forebay::pipeline
