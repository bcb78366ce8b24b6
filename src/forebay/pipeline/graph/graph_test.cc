#include "forebay/pipeline/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace forebay::pipeline {
namespace {

using ::testing::HasSubstr;

Node uniform(std::string name = {}) {
  Node node;
  node.op = "random.uniform";
  node.name = std::move(name);
  node.constants["values"] = std::vector<double>{-1.5, std::numeric_limits<double>::infinity()};
  return node;
}

TEST(Graph, RefusesWhatDoesNotExist) {
  Graph graph;
  Node unknown;
  unknown.op = "rezise";
  EXPECT_THAT(std::string(message(graph.add(unknown).status())), HasSubstr("'resize'"));
  Node wrong = uniform();
  wrong.constants["rnage"] = 1.0;
  EXPECT_THAT(std::string(message(graph.add(wrong).status())), HasSubstr("rnage"));
  Node dangling;
  dangling.op = "copy";
  dangling.inputs = {{3, 0}};
  EXPECT_FALSE(graph.add(dangling).ok());
}

TEST(Graph, NamesAreUnique) {
  Graph graph;
  EXPECT_TRUE(graph.add(uniform("a")).ok());
  EXPECT_THAT(std::string(message(graph.add(uniform("a")).status())), HasSubstr("used twice"));
}

TEST(Graph, SavesAndLoads) {
  Graph graph;
  Node seeded = uniform("a");
  seeded.seed = ~uint64_t{0};
  const int a = *graph.add(seeded);
  Node copy;
  copy.op = "copy";
  copy.inputs = {{a, 0}};
  copy.guards = {{{a, 0}, false}};
  const int b = *graph.add(copy);
  ASSERT_TRUE(graph.set_outputs({{b, 0}, {a, 0}}, {{tensor::DType::kFloat, 0}, {}}).ok());
  const auto loaded = Graph::from_json(graph.to_json());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->to_json(), graph.to_json());
  EXPECT_EQ(loaded->fingerprint(), graph.fingerprint());
  EXPECT_EQ(loaded->nodes()[b].guards, graph.nodes()[b].guards);
}

TEST(Graph, SavesNamesOfAnyBytes) {
  std::string every;
  for (int byte = 1; byte < 256; ++byte) {
    every += static_cast<char>(byte);
  }
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants = {{"files", std::vector<std::string>{every, "caf\xE9", "caf\xC3\xA9", "plain"}},
                      {"file_root", std::string("/\xFF\xFE")}};
  const int at = *graph.add(reader);
  ASSERT_TRUE(graph.set_outputs({{at, 0}}).ok());
  const auto loaded = Graph::from_json(graph.to_json());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->nodes()[at].constants, graph.nodes()[at].constants);
  EXPECT_EQ(loaded->fingerprint(), graph.fingerprint());
  EXPECT_FALSE(
      Graph::from_json(
          R"({"forebay_graph":1,"nodes":[{"op":"readers.file","constants":{"file_root":{"bytes":"\u0100"}}}],"outputs":[]})")
          .ok());
}

TEST(Graph, FingerprintsTellGraphsApart) {
  const auto with = [](const char* name, const Value& value) {
    Graph graph;
    Node node = uniform();
    node.constants[name] = value;
    EXPECT_TRUE(graph.add(node).ok());
    return graph.fingerprint();
  };
  EXPECT_EQ(with("range", std::vector<double>{0, 1}), with("range", std::vector<double>{0, 1}));
  EXPECT_NE(with("range", std::vector<double>{0, 1}), with("range", std::vector<double>{0, 2}));
  EXPECT_NE(with("shape", std::vector<int64_t>{1, 2}), with("shape", std::vector<int64_t>{12}));
}

TEST(Graph, LoadingBrokenTextIsAnError) {
  Graph graph;
  const int a = *graph.add(uniform());
  ASSERT_TRUE(graph.set_outputs({{a, 0}}).ok());
  const std::string text = graph.to_json();
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(Graph::from_json(text.substr(0, length)).ok());
  }
  EXPECT_FALSE(
      Graph::from_json(R"({"forebay_graph":1,"nodes":[{"op":"copy","inputs":[[9,0]]}],"outputs":[]})").ok());
  EXPECT_FALSE(Graph::from_json(R"({"forebay_graph":2,"nodes":[],"outputs":[]})").ok());
}

TEST(Graph, AnOperatorOfALibraryThatIsNotLoadedNamesIt) {
  const Status status =
      Graph::from_json(
          R"({"forebay_graph":1,"nodes":[{"op":"my_lab.blend","library":"libmy_lab.so"}],"outputs":[]})")
          .status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(message(status)), HasSubstr("of the library 'libmy_lab.so', which is not loaded"));
  const auto known = Graph::from_json(
      R"({"forebay_graph":1,"nodes":[{"op":"ones","library":"liba.so"}],"outputs":[[0,0]]})");
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_THAT(known->to_json(), ::testing::Not(HasSubstr("liba.so")));
}

TEST(Graph, KeysFollowNamesElseTypeAndOrdinal) {
  Graph a;
  const int first = *a.add(uniform());
  const int second = *a.add(uniform());
  const int named = *a.add(uniform("x"));
  EXPECT_NE(a.operator_key(first), a.operator_key(second));
  Graph b;
  const int alone = *b.add(uniform("x"));
  EXPECT_EQ(a.operator_key(named), b.operator_key(alone));
  Node seeded = uniform();
  seeded.seed = 5;
  Node flip = seeded;
  flip.op = "random.coin_flip";
  flip.name = "y";
  flip.constants.clear();
  const uint64_t of_seed = b.operator_key(*b.add(seeded));
  EXPECT_EQ(b.operator_key(*b.add(flip)), of_seed);
  EXPECT_NE(of_seed, b.operator_key(*b.add(uniform())));
}

}  // namespace
}  // namespace forebay::pipeline
