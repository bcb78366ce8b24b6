"""Tells whether a loop in PyTorch waits for its pictures: with its loader, and with batches that take no time.

    python examples/frameworks/measure_loader.py [FOLDER] [--epochs N]

`LoaderEvaluator` stands in for the loader. In the mode "log" it notes how long each batch took; in the mode "replay" it
has kept the last batches of an epoch and gives them again and again.
"""

from photo_pipeline import arguments_of, pictures
from torch_network import optimizer_of, small_network, train_epoch

from forebay.plugin.pytorch import DALIClassificationIterator, IterableDataset
from forebay.plugin.pytorch.loader_evaluator import LoaderEvaluator


def main():
    folder, classes, epochs = arguments_of(__doc__)
    network = small_network(classes)
    optimizer = optimizer_of(network)
    for mode in ("log", "replay"):
        batches = DALIClassificationIterator(pictures(folder, "CHW"), reader_name="reader", squeeze_labels=True)
        loader = LoaderEvaluator(IterableDataset(batches), mode=mode, num_cached_batches=4)
        for _ in range(epochs):
            train_epoch(network, optimizer, ((batch["data"], batch["label"]) for batch in loader))
        loader.print_summary()  # of the last epoch
        times = loader.get_metrics()
        print(f"waited for the loader {sum(times['batch_times']) / times['total_time']:.0%} of the time")


if __name__ == "__main__":
    main()
