"""MLServer's model: what its batcher has put together of several requests is a batch of DALI's and ONNX Runtime's."""

import numpy
from mlserver import MLModel
from mlserver.codecs import Base64Codec, NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse

import dali_onnx


class Classifier(MLModel):
    async def load(self) -> bool:
        given = self.settings.parameters.extra
        self.is_encoded = given["kind"] == "encoded"
        self.classifier = dali_onnx.Classifier(self.is_encoded, given["model"])
        return True

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        picture = payload.inputs[0]
        if self.is_encoded:
            samples = [numpy.frombuffer(file, numpy.uint8) for file in Base64Codec.decode_input(picture)]
        else:
            samples = list(NumpyCodec.decode_input(picture))
        scores, preparing_ns, inferring_ns = self.classifier.classify(samples)
        outputs = [NumpyCodec.encode_output("classes", scores)]
        if any(output.name == "spent" for output in payload.outputs or []):
            spent = numpy.array([[preparing_ns, inferring_ns]] * len(samples))
            outputs.append(NumpyCodec.encode_output("spent", spent))
        return InferenceResponse(model_name=self.name, outputs=outputs)
