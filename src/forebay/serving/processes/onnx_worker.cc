// The process of an ONNX model: its options as words, and its life.
#include "forebay/serving/processes/onnx_worker.h"

#include <charconv>
#include <cstdlib>

namespace forebay::serving {
namespace {

Result<int64_t> number_of_word(const std::string& name, const std::string& word) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) {
    return invalid_argument("{} {}: not a whole number", name, word);
  }
  return number;
}

Result<OnnxOptions> parse_onnx_words(const std::vector<std::string>& words) {
  OnnxOptions options;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& name = words[i];
    const std::string& value = words[i + 1];
    if (name == "--model") {
      options.model = value;
    } else if (name == "--library-folder") {
      options.places.folders.push_back(value);
    } else if (name == "--threads") {
      FOREBAY_ASSIGN_OR_RETURN(const int64_t threads, number_of_word(name, value));
      options.intra_op_threads = static_cast<int>(threads);
    } else if (name == "--max-batch-size") {
      FOREBAY_ASSIGN_OR_RETURN(options.max_batch_size, number_of_word(name, value));
    } else {
      return invalid_argument("unknown option {}", name);
    }
  }
  if (words.size() % 2 != 0 || options.model.empty()) {
    return invalid_argument("--model FILE is missing, or the value of {}", words.empty() ? "" : words.back());
  }
  return options;
}

}  // namespace

WorkerCommand onnx_command(const std::string& program, const OnnxOptions& options) {
  WorkerCommand command;
  command.words = {program,
                   "serve-worker",
                   "onnx",
                   "--model",
                   options.model,
                   "--max-batch-size",
                   std::to_string(options.max_batch_size),
                   "--threads",
                   std::to_string(options.intra_op_threads)};
  for (const std::string& folder : options.places.folders) {
    command.words.insert(command.words.end(), {"--library-folder", folder});
  }
  return command;
}

int run_onnx_worker(const std::vector<std::string>& words) {
  const Result<OnnxOptions> options = parse_onnx_words(words);
  if (!options.ok()) {
    fmt::print(stderr, "serve-worker onnx: {}\n", message(options.status()));
    return EXIT_FAILURE;
  }
  OnnxSession session(*options);
  return serve_worker(session);
}

}  // namespace forebay::serving
