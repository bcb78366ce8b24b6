// How kinds of models are told apart, and that their options reach the processes. The processes are those of
// process_model_test.cc.
#include "forebay/serving/service/model_kinds.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/serving/processes/process_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

const ModelKind& kind_named(const std::vector<ModelKind>& kinds, const std::string& name) {
  return *std::find_if(kinds.begin(), kinds.end(), [&](const ModelKind& kind) { return kind.name == name; });
}

TEST(ModelKinds, APipelineIsRecognisedByTheBeginningOfARegularFile) {
  const TemporaryDirectory folder;
  const std::vector<ModelKind> kinds = model_kinds({});
  const auto& recognises = kind_named(kinds, "pipeline").recognises;
  const auto is_pipeline = [&](const std::string& content) {
    const std::string file = folder / "model.py";
    std::ofstream(file) << content;
    return recognises(file);
  };
  EXPECT_TRUE(is_pipeline("from forebay import pipeline_def"));
  EXPECT_FALSE(is_pipeline(""));
  EXPECT_FALSE(is_pipeline("class Model: pass"));
  EXPECT_FALSE(is_pipeline(std::string(size_t{1} << 20, ' ') + "pipeline_def"));
  const std::string pipe = folder / "pipe.py";
  ASSERT_EQ(::mkfifo(pipe.c_str(), S_IRWXU), 0);
  EXPECT_FALSE(recognises(pipe));
  ASSERT_TRUE(std::filesystem::create_directory(folder / "folder.py"));
  EXPECT_FALSE(recognises(folder / "folder.py"));
  EXPECT_FALSE(recognises(folder / "missing.py"));
}

TEST(ModelKinds, AFileThatModelsShareIsNone) {
  const TemporaryDirectory folder;
  const std::vector<ModelKind> kinds = model_kinds({});
  const auto& recognises = kind_named(kinds, "model in Python").recognises_single;
  const auto is_model = [&](const std::string& content) {
    const std::string file = folder / "any.py";
    std::ofstream(file) << content;
    return recognises(file);
  };
  EXPECT_TRUE(is_model("class Model:\n  pass"));
  EXPECT_TRUE(is_model("class TritonPythonModel: pass"));
  EXPECT_TRUE(is_model("from parts import Large as Model"));
  EXPECT_FALSE(is_model("class Models: pass\nMyModel = 1\nmodel = 2"));
  EXPECT_FALSE(is_model(""));
  EXPECT_FALSE(recognises(folder / "missing.py"));
  std::ofstream(folder / "utils.py") << "def twice(x): return 2 * x";
  std::ofstream(folder / "net.onnx") << "";
  const Result<FoundNames> names = model_names(folder.path(), kinds);
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(names->models, ::testing::ElementsAre("net"));
  EXPECT_THAT(names->ignored, ::testing::UnorderedElementsAre(folder / "any.py", folder / "utils.py"));
}

TEST(ModelKinds, TheLongestRunReachesTheProcess) {
  const TemporaryDirectory folder;
  KindOptions options;
  EXPECT_EQ(options.longest_run_ns, 600 * kSecond);
  options.longest_run_ns = 20 * kMillisecond;
  options.python = folder / "none";
  options.program = folder / "program";
  std::ofstream(options.program) << "#!/bin/sh\n"
                                 << kTestWorker << "=echo " << kAllShards << " " << kFirstShard << " exec "
                                 << std::filesystem::read_symlink("/proc/self/exe").string()
                                 << " --gtest_filter=" << kEchoWorkerTest << "\n";
  std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
  const std::vector<ModelKind> kinds = model_kinds(options);
  const auto model = kind_named(kinds, "ONNX model").load({.name = "m", .version = "1"}, ModelConfig());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(error_told(ask_model(**model, echo_order("hang")).status()), HasSubstr("it was killed"));
}

}  // namespace
}  // namespace forebay::serving
