"""Triton's model: the requests that its batcher brings together are one batch of DALI's and of ONNX Runtime's."""

import json
import os
import sys

import numpy
import triton_python_backend_utils as pb_utils

sys.path.insert(0, os.environ["FOREBAY_BENCHMARK_WORK"])

import dali_onnx  # noqa: E402


class TritonPythonModel:
    def initialize(self, args):
        given = {name: each["string_value"] for name, each in json.loads(args["model_config"])["parameters"].items()}
        self.is_encoded = given["kind"] == "encoded"
        self.classifier = dali_onnx.Classifier(self.is_encoded, given["model"])

    def samples_of(self, request):
        rows = pb_utils.get_input_tensor_by_name(request, "picture").as_numpy()
        return [numpy.frombuffer(row[0], numpy.uint8) for row in rows] if self.is_encoded else list(rows)

    def execute(self, requests):
        parts = [self.samples_of(request) for request in requests]
        scores, preparing_ns, inferring_ns = self.classifier.classify([sample for part in parts for sample in part])
        responses, first = [], 0
        for request, part in zip(requests, parts):
            outputs = [pb_utils.Tensor("classes", scores[first : first + len(part)])]
            first += len(part)
            if "spent" in request.requested_output_names():
                spent = numpy.array([[preparing_ns, inferring_ns]] * len(part), numpy.int64)
                outputs.append(pb_utils.Tensor("spent", spent))
            responses.append(pb_utils.InferenceResponse(outputs))
        return responses
