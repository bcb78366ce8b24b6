#include "graph_of_case.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <utility>

namespace forebay::pipeline::testing {
namespace {

using operators::Scope;
using tensor::Tensor;

/// Gives the samples of a case, in batches of `sizes`, over and over.
class FeedOfCase final : public ExternalFeed {
 public:
  FeedOfCase(TensorOfSample make, std::vector<int> sizes)
      : make_(std::move(make)), sizes_(std::move(sizes)) {}

  Result<std::vector<std::vector<Tensor>>> next(const FeedRequest& request) override {
    const int wanted = sizes_[static_cast<size_t>(request.iteration) % sizes_.size()];
    std::vector<Tensor> batch;
    for (int place = 0; place < std::min(wanted, request.max_batch_size); ++place) {
      batch.push_back(make_(static_cast<uint64_t>(request.position + place) % kSamples));
    }
    return std::vector<std::vector<Tensor>>{std::move(batch)};
  }

 private:
  TensorOfSample make_;
  std::vector<int> sizes_;
};

Tensor number_of(uint64_t sample) {
  return *Tensor::scalar<int64_t>(static_cast<int64_t>(sample));
}

Tensor condition_of(uint64_t sample) {
  return *Tensor::scalar<bool>(sample % 3 == 1);
}

}  // namespace

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "forebay_conformance_XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
}

Folder::~Folder() {
  std::filesystem::remove_all(path_);
}

GraphOfCase::GraphOfCase(const ConformanceCase& the_case, const Folder& folder, GraphOptions options)
    : case_(the_case), folder_(folder), options_(std::move(options)) {
  const operators::OperatorSpec* spec = *operators::find_operator(case_.op);
  Node node;
  node.op = case_.op;
  node.constants = case_.constants;
  node.seed = options_.seed;
  if (case_.op == "_merge") {
    node.inputs = two_branches();
  } else {
    for (const TensorOfSample& input : case_.inputs) {
      node.inputs.push_back(source(input));
    }
  }
  for (const auto& [argument, tensor] : case_.tensors) {
    node.tensors[argument] = source(tensor);
  }
  std::vector<Edge> outputs;
  if (node.inputs.empty() && node.tensors.empty() && spec->scope != Scope::kSource) {
    outputs.push_back(source(number_of));  // positions are the source's
  }
  const std::vector<Edge> made = options_.in_branches ? add_in_branches(node) : add_operator(node);
  outputs.insert(outputs.begin(), made.begin(), made.end());
  EXPECT_TRUE(graph_.set_outputs(outputs).ok());
}

int GraphOfCase::add(Node node) {
  const auto added = graph_.add(std::move(node));
  EXPECT_TRUE(added.ok()) << case_.name() << ": " << added.status();
  return added.value_or(0);
}

std::vector<Edge> GraphOfCase::add_operator(const Node& node) {
  const int made = add(node);
  std::vector<Edge> edges;
  for (int output = 0; output < graph_.nodes()[made].num_outputs; ++output) {
    edges.push_back({made, output});
  }
  return edges;
}

std::vector<Edge> GraphOfCase::add_in_branches(const Node& node) {
  const Edge condition = source(condition_of);
  std::vector<std::vector<Edge>> branches;
  for (const bool wanted : {true, false}) {
    Node in_branch = node;
    in_branch.guards.push_back({condition, wanted});
    branches.push_back(add_operator(in_branch));
  }
  std::vector<Edge> merged;
  for (size_t output = 0; output < branches[0].size(); ++output) {
    Node merge;
    merge.op = "_merge";
    merge.inputs = {branches[0][output], branches[1][output]};
    merge.constants = {{"variable", "result"}};
    merged.push_back({add(std::move(merge)), 0});
  }
  return merged;
}

Edge GraphOfCase::source(const TensorOfSample& make) {
  return options_.fed_sizes.empty() ? read(make) : feed(make);
}

Edge GraphOfCase::feed(const TensorOfSample& make) {
  Node node;
  node.op = kExternalSource;
  node.name = fmt::format("feed {}", graph_.nodes().size());
  const int number = add(std::move(node));
  feeds_[number] = std::make_shared<FeedOfCase>(make, options_.fed_sizes);
  return {number, 0};
}

// A reader of the tensors' bytes, and their type and shape.
Edge GraphOfCase::read(const TensorOfSample& make) {
  std::vector<std::string> files;
  for (uint64_t sample = 0; sample < kSamples; ++sample) {
    const Tensor tensor = make(sample);
    files.push_back(folder_.path() / fmt::format("{}_{}", graph_.nodes().size(), sample));
    std::ofstream(files.back(), std::ios::binary)
        .write(static_cast<const char*>(tensor.data()), static_cast<std::streamsize>(tensor.size_bytes()));
  }
  Node reader;
  reader.op = "readers.file";
  reader.constants = {{"files", files}};
  const Edge bytes{add(std::move(reader)), 0};
  const tensor::TensorSpec spec = make(0).spec();
  if (spec.shape.rank() == 1 && spec.dtype == tensor::DType::kUint8) {
    return bytes;  // an encoded image, of any length
  }
  Node typed;
  typed.op = "reinterpret";
  typed.inputs = {bytes};
  std::vector<int64_t> shape;
  for (int axis = 0; axis < spec.shape.rank(); ++axis) {
    shape.push_back(spec.shape[axis]);
  }
  const bool is_scalar = shape.empty();
  typed.constants = {{"dtype", static_cast<int64_t>(spec.dtype)},
                     {"shape", is_scalar ? std::vector<int64_t>{1} : shape}};
  if (!spec.layout.empty()) {
    typed.constants["layout"] = spec.layout.to_string();
  }
  const Edge vector{add(std::move(typed)), 0};
  if (!is_scalar) {
    return vector;
  }
  Node scalar;
  scalar.op = "squeeze";
  scalar.inputs = {vector};
  scalar.constants = {{"axes", std::vector<int64_t>{0}}};
  return {add(std::move(scalar)), 0};
}

// Two copies of one tensor, of which each sample has one.
std::vector<Edge> GraphOfCase::two_branches() {
  const Edge predicate = source(condition_of);
  const Edge data = source([](uint64_t sample) {
    return operators::testing::noise({{2, 3}, tensor::DType::kUint8, "HW"}, sample);
  });
  std::vector<Edge> edges;
  for (const bool wanted : {true, false}) {
    Node branch;
    branch.op = wanted ? "copy" : "transpose";
    if (!wanted) {
      branch.constants = {{"transpose_layout", false}};  // both branches must give one layout
    }
    branch.inputs = {data};
    branch.guards = {{predicate, wanted}};
    edges.push_back({add(std::move(branch)), 0});
  }
  return edges;
}

std::unique_ptr<Session> open(const Graph& graph, const Settings& settings) {
  auto plan = Plan::compile(graph, {.batch_size = settings.batch_size, .seed = 5, .fuse = settings.fuse});
  EXPECT_TRUE(plan.ok()) << plan.status();
  SessionOptions options;
  options.num_threads = settings.threads;
  options.memory_limit_bytes = settings.memory_limit_bytes;
  options.feeds = settings.feeds;
  auto session = Session::create(*plan, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

void PrintTo(const Row& row, std::ostream* out) {
  *out << "epoch " << row.epoch << ", position " << row.position << ", " << row.content.size() << " bytes";
}

std::string text_of(const Tensor& tensor) {
  return tensor.spec().to_string() + " " +
         std::string(static_cast<const char*>(tensor.data()), tensor.size_bytes());
}

std::vector<Row> take(Session& session, size_t count, Status* error) {
  std::vector<Row> rows;
  while (rows.size() < count) {
    const auto delivery = session.run();
    if (!delivery.ok()) {
      if (error == nullptr) {
        ADD_FAILURE() << delivery.status();
      } else {
        *error = delivery.status();
      }
      return rows;
    }
    for (size_t i = 0; i < delivery->samples.size(); ++i) {
      Row row{delivery->samples[i].identity.epoch, delivery->samples[i].identity.position, {}};
      for (const tensor::Batch& output : delivery->outputs) {
        row.content += text_of(output.samples()[i]);
      }
      rows.push_back(std::move(row));
    }
  }
  rows.resize(count);
  return rows;
}

const std::vector<ConformanceCase>& all_cases() {
  static const Folder folder;  // of the sources
  static const std::vector<ConformanceCase> cases = [] {
    std::vector<ConformanceCase> made = operators::testing::conformance_cases();
    for (ConformanceCase& one : operators::testing::source_conformance_cases(folder.path())) {
      made.push_back(std::move(one));
    }
    return made;
  }();
  return cases;
}

const ConformanceCase& case_named(const std::string& name) {
  return *std::ranges::find(all_cases(), name, &ConformanceCase::name);
}

std::vector<std::string> names_of_cases() {
  std::vector<std::string> all;
  for (const ConformanceCase& one : all_cases()) {
    all.push_back(one.name());
  }
  return all;
}

std::string test_name(const std::string& name_of_case) {
  std::string name = name_of_case;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

}  // namespace forebay::pipeline::testing
