// The class of a sample, which WebDataset writes in digits.
#pragma once

#include <string>
#include <vector>

#include "forebay/dataset/webdataset/webdataset_source.h"
#include "forebay/tensor/tensor.h"

namespace forebay::dataset {

/// What an entry of `ext` lists.
std::vector<std::string> extensions_of(const std::string& entry);

/// Whether a field is a class (.cls alone) that is wanted as a number, of a type of more than one byte: those
/// of one are the file's bytes.
bool is_number_in_text(const WebdatasetOptions& options, size_t field);

/// A tensor of one number, from text with white space around it; of other bytes the numbers that they are in
/// binary. data_loss for other text, and if `dtype` does not hold the number.
Result<tensor::Tensor> number_in_text(Bytes content, tensor::DType dtype);

}  // namespace forebay::dataset
