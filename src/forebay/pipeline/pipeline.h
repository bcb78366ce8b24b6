// The C++ interface: build a pipeline from operators and run it, as in Python.
//
//   forebay::Pipeline pipe({.batch_size = 256, .num_threads = 8, .seed = 1});
//   auto file = forebay::fn::readers::file(pipe, {.file_root = "train", .random_shuffle = true});
//   ...
//   pipe.set_outputs({images, labels});
//   FOREBAY_RETURN_IF_ERROR(pipe.build());
//   FOREBAY_ASSIGN_OR_RETURN(auto delivery, pipe.run());
//
// forebay/fn.h, generated from the operator table, declares the functions of `forebay::fn`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/pipeline/argument.h"
#include "forebay/pipeline/data_node.h"
#include "forebay/pipeline/graph/graph.h"
#include "forebay/pipeline/session/border.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline {

struct PipelineOptions {
  int batch_size = 1;
  int num_threads = 1;
  uint64_t seed = 0;
  int prefetch_queue_depth = 2;
  OnError on_error = OnError::kRaise;
  uint64_t memory_limit_bytes = 0;
  bool fuse = true;
};

/// Not thread safe while it is being built; run() may be called by one thread at a time.
class Pipeline {
 public:
  explicit Pipeline(PipelineOptions options = {}) : options_(options) {}
  /// Its nodes know where it is.
  Pipeline(Pipeline&&) = delete;
  Pipeline& operator=(Pipeline&&) = delete;

  /// Adds an operator. The first error is kept and returned by build(), so graphs can be written as
  /// expressions.
  std::vector<DataNode> add(std::string_view op, const std::vector<DataNode>& inputs,
                            const std::vector<std::pair<std::string, Argument>>& arguments,
                            std::string name = {});
  /// Adds data from outside, which the feed gives batch by batch, in `num_outputs` outputs. Once it has given
  /// end_of_data(), run() does, and session().reset_feeds() begins its next epoch.
  std::vector<DataNode> external_source(std::shared_ptr<ExternalFeed> feed, int num_outputs = 1,
                                        std::string name = {});
  /// Gives what ExternalFeed::next() does. Called by one thread at a time, which is not that of run(); what
  /// it throws is an error of the batch. By the request alone it knows where an epoch begins.
  using FeedFunction = std::function<Result<std::vector<std::vector<tensor::Tensor>>>(const FeedRequest&)>;
  std::vector<DataNode> external_source(FeedFunction feed, int num_outputs = 1, std::string name = {});
  void set_outputs(const std::vector<DataNode>& outputs);

  /// Checks and compiles the graph, and opens the readers.
  Status build();
  /// Returns the next batch; call build() first.
  Result<Delivery> run();
  Session& session() { return *session_; }
  const Graph& graph() const { return graph_; }

 private:
  Result<int> add_to_graph(std::string_view op, const std::vector<DataNode>& inputs,
                           const std::vector<std::pair<std::string, Argument>>& arguments, std::string name);
  Result<Edge> edge_of(const DataNode& node) const;

  PipelineOptions options_;
  Graph graph_;
  Status error_;
  std::map<int, std::shared_ptr<ExternalFeed>> feeds_;  // by node
  std::unique_ptr<Session> session_;
};

/// The first pipeline among those of `nodes`; null where none has one.
Pipeline* pipeline_of(const std::vector<DataNode>& nodes);

/// What an operator `op` gives whose inputs have no pipeline: a node that leads to the operator where that
/// began. `op` must be text that stays.
DataNode without_pipeline(std::string_view op, const std::vector<DataNode>& inputs);

/// Adds an operator to the pipeline of its inputs, as Pipeline::add(). Where they have none, it gives nodes
/// without one, and build() of the pipeline that they get to names `op`, text that must stay.
std::vector<DataNode> add_operator(std::string_view op, const std::vector<DataNode>& inputs,
                                   const std::vector<std::pair<std::string, Argument>>& arguments,
                                   std::string name = {});

}  // namespace forebay::pipeline

namespace forebay {
using pipeline::DataNode;
using pipeline::Pipeline;
using pipeline::PipelineOptions;
}  // namespace forebay
