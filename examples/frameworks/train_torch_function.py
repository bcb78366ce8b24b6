"""Trains a small network in PyTorch on pictures that functions on PyTorch's tensors have changed, within the pipeline.

    python examples/frameworks/train_torch_function.py [FOLDER] [--epochs N]

The function of `torch_python_function` gets the tensors of a sample, or with `batch_processing` those of a batch;
`TorchPythonFunction` is the same as an object, made once.
"""

import torch
from photo_pipeline import BATCH, arguments_of, normalised, report
from torch_network import optimizer_of, small_network, train_epoch

from forebay import fn, pipeline_def
from forebay.plugin.pytorch import DALIClassificationIterator, LastBatchPolicy, TorchPythonFunction
from forebay.plugin.pytorch.fn import torch_python_function


def faded(image, amount):
    """A sample: mixed with its grey."""
    return torch.lerp(image, image.mean(dim=0, keepdim=True).expand_as(image), amount)


def mixed(images):
    """A batch: each picture with a little of the next one."""
    return [0.8 * image + 0.2 * other for image, other in zip(images, images[1:] + images[:1])]


mix = TorchPythonFunction(mixed, batch_processing=True)


@pipeline_def(batch_size=BATCH, num_threads=2, device_id=None, seed=1)
def changed(folder):
    files, labels = fn.readers.file(file_root=str(folder), random_shuffle=True, pad_last_batch=True, name="reader")
    images = torch_python_function(normalised(files, "CHW"), fn.random.uniform(range=(0.0, 0.5)), function=faded)
    return mix(images), labels


def main():
    folder, classes, epochs = arguments_of(__doc__)
    batches = DALIClassificationIterator(changed(folder), reader_name="reader", squeeze_labels=True, auto_reset=True,
                                         last_batch_policy=LastBatchPolicy.PARTIAL)
    network = small_network(classes)
    optimizer = optimizer_of(network)
    for epoch in range(1, epochs + 1):
        report(epoch, train_epoch(network, optimizer, ((batch["data"], batch["label"]) for (batch,) in batches)))


if __name__ == "__main__":
    main()
