// Every row of the operator table in sessions: what decides when and where an operator runs does not decide
// what it gives.
//
// Inputs and tensor arguments of a case are files of raw bytes, a reader each, so that samples have
// positions: they can be replayed and resumed. `reinterpret` gives the bytes their type and shape.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>

#include "forebay/operators/testing/conformance_cases.h"
#include "forebay/pipeline/session.h"

namespace forebay::pipeline {
namespace {

using operators::Scope;
using operators::testing::ConformanceCase;
using operators::testing::TensorOfSample;
using tensor::Tensor;

constexpr int kSamples = 8;     // of the data set; batches of 3 cross the end of an epoch
constexpr int kDelivered = 24;  // samples that are compared: three epochs

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "forebay_conformance_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Adds nodes to a graph; fails the test where the graph refuses them.
class GraphOfCase {
 public:
  GraphOfCase(const ConformanceCase& the_case, const Folder& folder) : case_(the_case), folder_(folder) {
    const operators::OperatorSpec* spec = *operators::find_operator(case_.op);
    Node node;
    node.op = case_.op;
    node.constants = case_.constants;
    if (case_.op == "_merge") {
      node.inputs = branches();
    } else {
      for (const TensorOfSample& input : case_.inputs) {
        node.inputs.push_back(read(input));
      }
    }
    for (const auto& [argument, tensor] : case_.tensors) {
      node.tensors[argument] = read(tensor);
    }
    if (node.inputs.empty() && node.tensors.empty() && spec->scope != Scope::kSource) {
      anchor_ = read([](uint64_t sample) { return *Tensor::scalar<int64_t>(static_cast<int64_t>(sample)); });
    }
    const int made = add(std::move(node));
    std::vector<Edge> outputs;
    for (int output = 0; output < graph_.nodes()[made].num_outputs; ++output) {
      outputs.push_back({made, output});
    }
    if (anchor_.node >= 0) {
      outputs.push_back(anchor_);  // positions are the reader's
    }
    EXPECT_TRUE(graph_.set_outputs(outputs).ok());
  }

  const Graph& graph() const { return graph_; }

 private:
  int add(Node node) {
    const auto added = graph_.add(std::move(node));
    EXPECT_TRUE(added.ok()) << case_.name() << ": " << added.status();
    return added.value_or(0);
  }

  // A reader of the tensors' bytes, and their type and shape.
  Edge read(const TensorOfSample& make) {
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
  std::vector<Edge> branches() {
    const Edge predicate = read([](uint64_t sample) { return *Tensor::scalar<bool>(sample % 3 == 1); });
    const Edge data = read([](uint64_t sample) {
      return operators::testing::noise({{2, 3}, tensor::DType::kUint8, "HW"}, sample);
    });
    std::vector<Edge> edges;
    for (const bool wanted : {true, false}) {
      Node branch;
      branch.op = wanted ? "copy" : "transpose";
      branch.inputs = {data};
      branch.guards = {{predicate, wanted}};
      edges.push_back({add(std::move(branch)), 0});
    }
    return edges;
  }

  const ConformanceCase& case_;
  const Folder& folder_;
  Graph graph_;
  Edge anchor_;
};

struct Settings {
  int batch_size = 1;
  int threads = 1;
  bool fuse = true;
  uint64_t memory_limit_bytes = 0;
};

std::string text_of(const Tensor& tensor) {
  return tensor.spec().to_string() + " " +
         std::string(static_cast<const char*>(tensor.data()), tensor.size_bytes());
}

/// One delivered sample: who it is and what it is.
struct Row {
  int64_t epoch = 0;
  int64_t position = 0;
  std::string content;
  friend bool operator==(const Row&, const Row&) = default;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << "epoch " << row.epoch << ", position " << row.position << ", " << row.content.size() << " bytes";
}

std::unique_ptr<Session> open(const Graph& graph, const Settings& settings) {
  auto plan = Plan::compile(graph, {.batch_size = settings.batch_size, .seed = 5, .fuse = settings.fuse});
  EXPECT_TRUE(plan.ok()) << plan.status();
  SessionOptions options;
  options.num_threads = settings.threads;
  options.memory_limit_bytes = settings.memory_limit_bytes;
  auto session = Session::create(*plan, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

/// The next samples up to `count`; the first error that a batch has instead, in `error`.
std::vector<Row> take(Session& session, size_t count, Status* error = nullptr) {
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

class OperatorInSessions : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const ConformanceCase& the_case = case_named(GetParam());
    graph_ = GraphOfCase(the_case, folder_).graph();
    const auto plan = Plan::compile(graph_, {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    depends_on_batch_ = !(*plan)->batch_dependent().empty();
    expected_ = take(*open(graph_, {}), kDelivered);
    ASSERT_EQ(expected_.size(), kDelivered);
  }

  static const std::vector<ConformanceCase>& all_cases() {
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

  Folder folder_;
  Graph graph_;
  bool depends_on_batch_ = false;
  std::vector<Row> expected_;  // by one thread, in batches of one

 public:
  static const ConformanceCase& case_named(const std::string& name) {
    return *std::ranges::find(all_cases(), name, &ConformanceCase::name);
  }
  static std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const ConformanceCase& one : all_cases()) {
      all.push_back(one.name());
    }
    return all;
  }
};

TEST_P(OperatorInSessions, ThreadsAndBatchSizesChangeNothing) {
  for (const int batch_size : {1, 3, 8}) {
    const std::vector<Row> by_one = take(*open(graph_, {.batch_size = batch_size}), kDelivered);
    if (!depends_on_batch_) {
      EXPECT_EQ(by_one, expected_) << "batches of " << batch_size;
    }
    for (const int threads : {2, 4}) {
      EXPECT_EQ(take(*open(graph_, {.batch_size = batch_size, .threads = threads}), kDelivered), by_one)
          << threads << " threads, batches of " << batch_size;
    }
    EXPECT_EQ(take(*open(graph_, {.batch_size = batch_size, .fuse = false}), kDelivered), by_one)
        << "batches of " << batch_size << ", not fused";
  }
}

TEST_P(OperatorInSessions, GoesOnWhereItWas) {
  constexpr Settings kSettings{.batch_size = 3, .threads = 2};
  const std::vector<Row> whole = take(*open(graph_, kSettings), kDelivered);
  for (const size_t batches : {0, 1, 4}) {
    const auto before = open(graph_, kSettings);
    const std::vector<Row> rows = take(*before, 3 * batches);
    const auto after = open(graph_, kSettings);
    ASSERT_EQ(after->restore(before->state()), ok_status());
    std::vector<Row> both = rows;
    std::ranges::copy(take(*after, kDelivered - rows.size()), std::back_inserter(both));
    EXPECT_EQ(both, whole) << "after " << batches << " batches";
  }
}

TEST_P(OperatorInSessions, ReplaysOrSaysWhyNot) {
  const auto session = open(graph_, {});
  for (const Row& row : expected_) {
    const auto replayed = session->replay(row.epoch, row.position);
    if (!replayed.ok()) {
      EXPECT_EQ(replayed.status().code(), StatusCode::kFailedPrecondition) << replayed.status();
      EXPECT_TRUE(depends_on_batch_) << replayed.status();
      continue;
    }
    std::string content;
    for (const Tensor& output : *replayed) {
      content += text_of(output);
    }
    EXPECT_EQ(content, row.content) << "epoch " << row.epoch << ", position " << row.position;
  }
}

TEST_P(OperatorInSessions, SameBitsOrANamedErrorUnderAnyMemoryLimit) {
  const std::vector<Row> whole = take(*open(graph_, {.batch_size = 3, .threads = 2}), kDelivered);
  for (uint64_t limit = 64; limit <= (uint64_t{1} << 20); limit *= 4) {
    const auto session = open(graph_, {.batch_size = 3, .threads = 2, .memory_limit_bytes = limit});
    Status error;
    const std::vector<Row> rows = take(*session, kDelivered, &error);
    if (error.ok()) {
      EXPECT_EQ(rows, whole) << limit << " bytes";
    } else {
      EXPECT_EQ(error.code(), StatusCode::kResourceExhausted) << limit << " bytes: " << error;
    }
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, OperatorInSessions, ::testing::ValuesIn(OperatorInSessions::names()),
                         test_name);

TEST(OperatorsInSessions, EveryRowIsThere) {
  std::set<std::string> covered;
  for (const std::string& name : OperatorInSessions::names()) {
    covered.insert(OperatorInSessions::case_named(name).op);
  }
  for (const operators::OperatorSpec& row : operators::all_operators()) {
    EXPECT_TRUE(covered.contains(row.name)) << row.name << " has no case in testing/conformance_cases.cc";
  }
}

}  // namespace
}  // namespace forebay::pipeline
