// From the text of a configuration to its message, and from the message to the struct.
#include "forebay/serving/repository/model_config.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/log/log.h"
#include "forebay/base/utf8.h"
#include "forebay/serving/inference/model_config.pb.h"
#include "forebay/serving/repository/model_config_message.h"

namespace forebay::serving {
namespace {

constexpr size_t kMaxConfigBytes = 4U << 20U;
constexpr int kMaxConfigDepth = 32;

/// Keeps the first error; warnings go to the log.
class ConfigErrors final : public google::protobuf::io::ErrorCollector {
 public:
  explicit ConfigErrors(const std::string& where) : where_(where) {}

  void AddError(int line, int column, const std::string& text) override {
    if (first_.empty()) {
      first_ = fmt::format("{}: {}", place(line, column), text);
    }
  }
  void AddWarning(int line, int column, const std::string& text) override {
    log_warning("{}: {}", place(line, column), text);
  }
  const std::string& first() const { return first_; }

 private:
  std::string place(int line, int column) const {
    return fmt::format("{}:{}:{}", where_, line + 1, column + 1);
  }

  const std::string& where_;
  std::string first_;
};

/// That all strings are UTF-8: escapes can make others of any text.
Status check_strings(const google::protobuf::Message& message) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& fields = *message.GetReflection();
  std::vector<const FieldDescriptor*> set;
  fields.ListFields(message, &set);
  for (const FieldDescriptor* const field : set) {
    const int count = field->is_repeated() ? fields.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        FOREBAY_RETURN_IF_ERROR(check_strings(field->is_repeated()
                                                  ? fields.GetRepeatedMessage(message, field, i)
                                                  : fields.GetMessage(message, field)));
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        const std::string text = field->is_repeated() ? fields.GetRepeatedString(message, field, i)
                                                      : fields.GetString(message, field);
        if (!is_utf8(text)) {
          return invalid_argument("{} is '{}', which is no UTF-8", field->full_name(), printable(text));
        }
      }
    }
  }
  return ok_status();
}

}  // namespace

Result<ModelConfig> parse_model_config(std::string_view text, const std::string& where) {
  if (text.size() > kMaxConfigBytes) {
    return invalid_argument("{} has {} bytes; a model's configuration has at most {}", where, text.size(),
                            kMaxConfigBytes);
  }
  ConfigErrors errors(where);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(kMaxConfigDepth);
  const auto message = std::make_shared<::inference::ModelConfig>();
  if (!parser.ParseFromString(std::string(text), message.get())) {
    return invalid_argument("{}",
                            errors.first().empty() ? where + " is no model configuration" : errors.first());
  }
  FOREBAY_RETURN_IF_ERROR(annotate(check_strings(*message), where));
  Result<ModelConfig> config = config_of(*message);
  if (!config.ok()) {
    return annotate(config.status(), where);
  }
  config->where = where;
  config->message = message;
  return config;
}

Result<ModelConfig> read_model_config(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    return invalid_argument("{} is no regular file", path);  // reading a pipe would wait for whoever writes
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return not_found("{} cannot be opened", path);
  }
  std::string text(kMaxConfigBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) {
    return data_loss("{} cannot be read", path);
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return parse_model_config(text, path);
}

}  // namespace forebay::serving
