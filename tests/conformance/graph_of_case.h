// A case of the operator table in a graph: its inputs and tensor arguments come from readers, or are fed; it
// runs for every sample, or twice in two branches. And what sessions of such graphs give.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "forebay/operators/testing/conformance_cases.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline::testing {

using operators::testing::ConformanceCase;
using operators::testing::TensorOfSample;

inline constexpr int kSamples = 8;     // of the data set; batches of 3 cross the end of an epoch
inline constexpr int kDelivered = 24;  // samples that are compared: three epochs

/// A folder for files, removed with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct GraphOptions {
  std::vector<int> fed_sizes;  // how many samples are fed at once, over and over; empty: readers of files
  bool in_branches = false;  // the operator stands in both branches of a condition, whose results are merged
  std::optional<uint64_t> seed;  // the operator's own
};

/// Adds nodes to a graph; fails the test where the graph refuses them.
class GraphOfCase {
 public:
  GraphOfCase(const ConformanceCase& the_case, const Folder& folder, GraphOptions options = {});

  const Graph& graph() const { return graph_; }
  const std::map<int, std::shared_ptr<ExternalFeed>>& feeds() const { return feeds_; }

 private:
  int add(Node node);
  Edge source(const TensorOfSample& make);
  Edge read(const TensorOfSample& make);
  Edge feed(const TensorOfSample& make);
  std::vector<Edge> two_branches();
  std::vector<Edge> add_operator(const Node& node);
  std::vector<Edge> add_in_branches(const Node& node);

  const ConformanceCase& case_;
  const Folder& folder_;
  GraphOptions options_;
  Graph graph_;
  std::map<int, std::shared_ptr<ExternalFeed>> feeds_;
};

struct Settings {
  int batch_size = 1;
  int threads = 1;
  bool fuse = true;
  uint64_t memory_limit_bytes = 0;
  std::map<int, std::shared_ptr<ExternalFeed>> feeds = {};
};

std::unique_ptr<Session> open(const Graph& graph, const Settings& settings);

/// One delivered sample: who it is and what it is.
struct Row {
  int64_t epoch = 0;
  int64_t position = 0;
  std::string content;
  friend bool operator==(const Row&, const Row&) = default;
};

void PrintTo(const Row& row, std::ostream* out);
std::string text_of(const tensor::Tensor& tensor);

/// The next samples up to `count`; the first error that a batch has instead, in `error`.
std::vector<Row> take(Session& session, size_t count, Status* error = nullptr);

/// The cases of every row, sources too.
const std::vector<ConformanceCase>& all_cases();
const ConformanceCase& case_named(const std::string& name);
std::vector<std::string> names_of_cases();

/// The name of a case as GoogleTest takes it.
std::string test_name(const std::string& name_of_case);

}  // namespace forebay::pipeline::testing
