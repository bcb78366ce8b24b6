// Tables with something wrong in them: each is refused by what it is.
#include "forebay/plugin/read_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "forebay/plugin/names.h"

namespace forebay::plugin {
namespace {

using ::testing::HasSubstr;

/// A library of one operator with an input and two parameters, to be spoiled.
struct Table {
  Table() {
    value.struct_bytes = sizeof(value);
    value.kind = kForebayPluginKindString;
    value.text = {"one", 3};
    text.struct_bytes = sizeof(text);
    text.kind = kForebayPluginKindString;
    text.name = "text";
    text.doc = "A text.";
    text.choice_count = 2;
    text.choices = choices;
    text.default_value = &value;
    number.struct_bytes = sizeof(number);
    number.kind = kForebayPluginKindInt;
    number.name = "number";
    number.doc = "A number.";
    number.flags = kForebayPluginTakesTensor;
    input.struct_bytes = sizeof(input);
    input.name = "data";
    input.doc = "Data.";
    op.struct_bytes = sizeof(op);
    op.name = "a_folder.an_operator";
    op.doc = "Does nothing.";
    op.input_count = op.min_inputs = op.max_inputs = op.output_count = 1;
    op.inputs = inputs;
    op.parameters = parameters;
    op.parameter_count = 2;
    op.create = [](void*, const ForebayPluginArguments*, void**, ForebayPluginError*) { return 0; };
    op.destroy = [](void*) {};
    op.infer = op.run = [](const void*, const ForebayPluginSample*, ForebayPluginError*) { return 0; };
    library.struct_bytes = sizeof(library);
    library.operator_count = 1;
    library.name = "a_library";
    library.operators = operators;
  }

  ForebayPluginValue value = {};
  ForebayPluginParameter text = {};
  ForebayPluginParameter number = {};
  ForebayPluginInput input = {};
  ForebayPluginOperator op = {};
  ForebayPluginLibrary library = {};
  const char* choices[2] = {"one", "two"};
  const ForebayPluginInput* inputs[1] = {&input};
  const ForebayPluginParameter* parameters[2] = {&text, &number};
  const ForebayPluginOperator* operators[1] = {&op};
};

std::string error_of(const std::function<void(Table&)>& spoil) {
  Table table;
  spoil(table);
  const auto rows = read_library(&table.library, "liba.so");
  EXPECT_EQ(rows.status().code(), StatusCode::kInvalidArgument) << rows.status();
  EXPECT_THAT(std::string(message(rows.status())), HasSubstr("the library 'liba.so'"));
  return std::string(message(rows.status()));
}

TEST(ReadLibrary, AWholeTable) {
  Table table;
  const auto rows = read_library(&table.library, "liba.so");
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 1);
  const operators::OperatorSpec& row = (*rows)[0];
  EXPECT_EQ(row.name, "a_folder.an_operator");
  EXPECT_EQ(row.parameters[0].default_value, operators::Value(std::string("one")));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(row.parameters[1].default_value));
  EXPECT_TRUE(row.create({.num_inputs = 1}).ok());
}

TEST(ReadLibrary, ALargerStructOfALaterVersionIsRead) {
  Table table;
  table.library.struct_bytes += 8;
  table.op.struct_bytes += 64;
  table.text.struct_bytes += 8;
  EXPECT_TRUE(read_library(&table.library, "liba.so").ok());
}

TEST(ReadLibrary, Library) {
  EXPECT_FALSE(read_library(nullptr, "liba.so").ok());
  EXPECT_THAT(error_of([](Table& t) { t.library.struct_bytes = 8; }), HasSubstr("has 8 bytes"));
  EXPECT_THAT(error_of([](Table& t) { t.library.name = nullptr; }), HasSubstr("name of the library is ''"));
  EXPECT_THAT(error_of([](Table& t) { t.library.name = "a-b"; }), HasSubstr("'a-b'"));
  EXPECT_THAT(error_of([](Table& t) { t.library.version = "\xff"; }), HasSubstr("not UTF-8: \\xff"));
  EXPECT_THAT(error_of([](Table& t) { t.library.operators = nullptr; }), HasSubstr("1 operators is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.library.operator_count = 0; }), HasSubstr("has no operators"));
  EXPECT_THAT(error_of([](Table& t) { t.library.operator_count = UINT32_MAX; }),
              HasSubstr("4294967295 operators"));
}

TEST(ReadLibrary, Operator) {
  EXPECT_THAT(error_of([](Table& t) { t.operators[0] = nullptr; }), HasSubstr("operator 0 is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.op.struct_bytes = 0; }),
              HasSubstr("operator 0 says that it has 0 bytes"));
  for (const char* const name : {"", "1st", "a..b", ".a", "a.", "a b", "_a", "a._b", "a.class", "\xc3\xa4"}) {
    EXPECT_THAT(error_of([&](Table& t) { t.op.name = name; }), HasSubstr("the name of operator 0 is '"));
  }
  EXPECT_THAT(error_of([](Table& t) { t.op.doc = nullptr; }), HasSubstr("there is no documentation"));
  EXPECT_THAT(error_of([](Table& t) { t.op.flags = 4; }), HasSubstr("flags 0x4"));
  EXPECT_THAT(error_of([](Table& t) { t.op.create = nullptr; }), HasSubstr("`create` is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.op.destroy = nullptr; }), HasSubstr("`destroy` is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.op.infer = nullptr; }), HasSubstr("`infer` is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.op.run = nullptr; }), HasSubstr("`run` is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.op.output_count = 65; }), HasSubstr("65 outputs"));
  EXPECT_THAT(error_of([](Table& t) { t.op.output_count = 0; }), HasSubstr("`count_outputs` is missing"));
  const std::string long_text((1 << 16) + 1, 'x');
  EXPECT_THAT(error_of([&](Table& t) { t.op.doc = long_text.c_str(); }),
              HasSubstr("longer than 65536 bytes"));
}

TEST(ReadLibrary, Inputs) {
  EXPECT_THAT(error_of([](Table& t) { t.op.inputs = nullptr; }), HasSubstr("1 inputs is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.inputs[0] = nullptr; }), HasSubstr("input 0 is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.input.name = "number"; }), HasSubstr("'number' is there twice"));
  EXPECT_THAT(error_of([](Table& t) { t.input.name = "lambda"; }), HasSubstr("no keyword of Python"));
  EXPECT_THAT(error_of([](Table& t) { t.op.min_inputs = 2; }), HasSubstr("2 to 1 inputs"));
  EXPECT_THAT(error_of([](Table& t) { t.op.max_inputs = 0; }), HasSubstr("1 to 0 inputs"));
  EXPECT_THAT(error_of([](Table& t) { t.op.max_inputs = 1000; }), HasSubstr("1 to 1000 inputs"));
  EXPECT_THAT(error_of([](Table& t) {
                t.op.input_count = 0;
                t.op.max_inputs = 3;
              }),
              HasSubstr("1 to 3 inputs, of which 0 are described"));
}

TEST(ReadLibrary, Parameters) {
  EXPECT_THAT(error_of([](Table& t) { t.parameters[1] = nullptr; }), HasSubstr("parameter 1 is missing"));
  EXPECT_THAT(error_of([](Table& t) { t.op.parameter_count = 257; }), HasSubstr("257 parameters"));
  EXPECT_THAT(error_of([](Table& t) { t.text.kind = 0; }), HasSubstr("parameter 'text': kind 0"));
  EXPECT_THAT(error_of([](Table& t) { t.text.kind = 12; }), HasSubstr("kind 12"));
  EXPECT_THAT(error_of([](Table& t) { t.text.name = "device"; }), HasSubstr("every operator has"));
  EXPECT_THAT(error_of([](Table& t) { t.text.name = "number"; }), HasSubstr("'number' is there twice"));
  EXPECT_THAT(error_of([](Table& t) { t.text.flags = kForebayPluginTakesTensor; }),
              HasSubstr("cannot take a tensor"));
  EXPECT_THAT(error_of([](Table& t) { t.text.flags = 8; }), HasSubstr("flags 0x8"));
  EXPECT_THAT(error_of([](Table& t) { t.text.choices = nullptr; }), HasSubstr("2 choices is missing"));
  EXPECT_THAT(error_of([](Table& t) {
                t.number.choice_count = 1;
                t.number.choices = t.choices;
              }),
              HasSubstr("choices are for strings"));
}

TEST(ReadLibrary, Defaults) {
  EXPECT_THAT(error_of([](Table& t) { t.value.struct_bytes = 4; }), HasSubstr("the default says"));
  EXPECT_THAT(error_of([](Table& t) { t.value.kind = kForebayPluginKindInt; }),
              HasSubstr("the default is of kind 2"));
  EXPECT_THAT(error_of([](Table& t) { t.value.text.data = nullptr; }), HasSubstr("3 bytes is at no address"));
  EXPECT_THAT(error_of([](Table& t) { t.value.text.bytes = SIZE_MAX; }), HasSubstr("longer than"));
  const auto list = [](int32_t kind, size_t count) {
    return [kind, count](Table& t) {
      t.text.choice_count = 0;
      t.text.kind = t.value.kind = kind;
      t.value.count = count;
    };
  };
  for (const int32_t kind :
       {kForebayPluginKindIntList, kForebayPluginKindFloatList, kForebayPluginKindStringList}) {
    EXPECT_THAT(error_of(list(kind, 2)), HasSubstr("2 items is at no address"));
    EXPECT_THAT(error_of(list(kind, SIZE_MAX)), HasSubstr("is longer than"));
    Table table;
    list(kind, 0)(table);
    EXPECT_TRUE(read_library(&table.library, "liba.so").ok());
  }
}

TEST(Names, Identifiers) {
  EXPECT_TRUE(is_identifier("_a1"));
  EXPECT_TRUE(is_identifier(std::string(128, 'a')));
  EXPECT_FALSE(is_identifier(std::string(129, 'a')));
  EXPECT_FALSE(is_identifier("while"));
  EXPECT_FALSE(is_identifier(std::string_view("a\0", 2)));
  EXPECT_TRUE(is_operator_name("my.op"));
  EXPECT_TRUE(is_operator_name("Op2"));
}

}  // namespace
}  // namespace forebay::plugin
