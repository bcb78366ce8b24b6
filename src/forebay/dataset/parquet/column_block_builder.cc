#include <algorithm>
#include <numeric>
#include <utility>

#include "forebay/dataset/parquet/bit_numbers.h"
#include "forebay/dataset/parquet/column_block.h"

namespace forebay::dataset {

Status ColumnBlockBuilder::add(const ParquetPage& page) {
  switch (page.kind) {
    case ParquetPage::Kind::kDictionary:
      return add_dictionary(page);
    case ParquetPage::Kind::kData:
      return add_data(page);
    default:
      return ok_status();
  }
}

Status ColumnBlockBuilder::add_dictionary(const ParquetPage& page) {
  if (has_dictionary_ || block_->slots_ > 0) {
    return data_loss("a dictionary behind other pages");
  }
  if (page.coding != ParquetCoding::kPlain && page.coding != ParquetCoding::kPlainDictionary) {
    return unimplemented("a dictionary in coding {}", static_cast<int>(page.coding));
  }
  has_dictionary_ = true;
  FOREBAY_RETURN_IF_ERROR(block_->values_.append(ParquetCoding::kPlain, page.content, page.values));
  dictionary_size_ = page.values;
  return ok_status();
}

Status ColumnBlockBuilder::check_room(uint64_t more_slots) const {
  constexpr uint64_t kSlotBytes = 16;  // with what is needed on the way
  if (more_slots > most_bytes_ / kSlotBytes || block_->slots_ > most_bytes_ / kSlotBytes - more_slots) {
    return resource_exhausted("its {} values take more than the {} bytes that are allowed",
                              block_->slots_ + more_slots, most_bytes_);
  }
  return ok_status();
}

Status ColumnBlockBuilder::add_data(const ParquetPage& page) {
  const ParquetLeaf& leaf = block_->leaf_;
  FOREBAY_RETURN_IF_ERROR(check_room(page.values));
  std::vector<uint32_t> definition;
  uint64_t present = page.values;
  if (leaf.max_definition > 0) {
    definition.resize(page.values);
    FOREBAY_RETURN_IF_ERROR(
        decode_runs(page.definition, bits_of(leaf.max_definition), leaf.max_definition, definition));
    present = static_cast<uint64_t>(std::ranges::count(definition, uint32_t{leaf.max_definition}));
  }
  if (leaf.max_repetition > 0) {
    std::vector<uint32_t> repetition(page.values);
    FOREBAY_RETURN_IF_ERROR(
        decode_runs(page.repetition, bits_of(leaf.max_repetition), leaf.max_repetition, repetition));
    FOREBAY_RETURN_IF_ERROR(add_rows(repetition));
  }
  const uint64_t first_value = block_->values_.count();
  const bool is_coded =
      page.coding == ParquetCoding::kDictionary || page.coding == ParquetCoding::kPlainDictionary;
  std::vector<uint32_t> codes;
  if (is_coded) {
    FOREBAY_ASSIGN_OR_RETURN(codes, values_of(page, present));
  } else {
    FOREBAY_RETURN_IF_ERROR(block_->values_.append(page.coding, page.content, present));
  }
  if (block_->values_.count() >= ColumnBlock::kMaxValues) {
    return resource_exhausted("a column with {} values in one piece", block_->values_.count());
  }
  if (!has_names_ && !is_coded && !has_dictionary_ && present == page.values) {
    block_->slots_ += page.values;
    return ok_status();
  }
  name_all_slots();
  uint64_t taken = 0;
  for (uint64_t i = 0; i < page.values; ++i) {
    const uint32_t level = definition.empty() ? leaf.max_definition : definition[i];
    uint32_t number = ColumnBlock::kNull;
    if (level == leaf.max_definition) {
      number = is_coded ? codes[taken] : static_cast<uint32_t>(first_value + taken);
      ++taken;
    } else if (leaf.max_repetition > 0 && level + 1 < leaf.first_list) {
      number = ColumnBlock::kNullList;
    } else if (leaf.max_repetition > 0 && level < leaf.last_list) {
      number = ColumnBlock::kEmptyList;
    }
    block_->value_of_.push_back(number);
  }
  block_->slots_ += page.values;
  return ok_status();
}

/// Numbers of the dictionary's entries.
Result<std::vector<uint32_t>> ColumnBlockBuilder::values_of(const ParquetPage& page, uint64_t present) {
  std::vector<uint32_t> codes(present);
  if (present == 0) {
    return codes;
  }
  if (dictionary_size_ == 0 || page.content.empty()) {
    return data_loss("a page refers to a dictionary that is not there or empty");
  }
  const auto bits = static_cast<int>(page.content[0]);
  if (bits > 32) {
    return data_loss("numbers of {} bits for the entries of a dictionary", bits);
  }
  FOREBAY_RETURN_IF_ERROR(
      decode_runs(page.content.subspan(1), bits, static_cast<uint32_t>(dictionary_size_ - 1), codes));
  return codes;
}

Status ColumnBlockBuilder::add_rows(std::span<const uint32_t> repetition) {
  if (!repetition.empty() && block_->slots_ == 0 && repetition[0] != 0) {
    return data_loss("a page begins within a row");
  }
  for (uint64_t i = 0; i < repetition.size(); ++i) {
    if (repetition[i] == 0) {
      block_->row_starts_.push_back(block_->slots_ + i);
    }
    if (block_->leaf_.max_repetition > 1) {
      block_->repetition_.push_back(static_cast<uint8_t>(repetition[i]));
    }
  }
  return ok_status();
}

/// From now on slots say which value they are.
void ColumnBlockBuilder::name_all_slots() {
  if (!std::exchange(has_names_, true)) {
    block_->value_of_.resize(block_->slots_);
    std::iota(block_->value_of_.begin(), block_->value_of_.end(), 0u);
  }
}

Result<std::shared_ptr<const ColumnBlock>> ColumnBlockBuilder::finish(uint64_t rows) {
  if (block_->leaf_.max_repetition > 0) {
    block_->row_starts_.push_back(block_->slots_);
  }
  const uint64_t found = block_->rows();
  if (found != rows) {
    return data_loss("its pages have {} rows where {} are expected", found, rows);
  }
  return std::shared_ptr<const ColumnBlock>(std::move(block_));
}

}  // namespace forebay::dataset
