"""Trains a small network on several ranks that share a store, each a worker of Ray Train.

    python examples/distributed/train_ray.py [--ranks N] [--store URL] [--stop-after STEPS]

Started again it goes on from its checkpoint, also with another number of ranks, and from one that train_torchrun.py has
written: no sample is lost or seen twice.
"""

import argparse
import os
import pathlib
import sys
import tempfile

import ray
from ray.train import RunConfig, ScalingConfig
from ray.train.torch import TorchConfig, TorchTrainer

FOLDER = str(pathlib.Path(__file__).resolve().parent)


def train_rank(settings):
    """What each worker runs; Ray has joined them as ranks of torch.distributed."""
    sys.path.insert(0, FOLDER)
    import ranks

    ranks.train(argparse.Namespace(**settings))


def main():
    sys.path.insert(0, FOLDER)
    import ranks

    parser = ranks.arguments_of(__doc__)
    parser.add_argument("--ranks", type=int, default=4)
    given = parser.parse_args()
    ranks.check_ranks(given.ranks)
    arguments = ranks.prepared(given)
    ranks.check_data(arguments.store, arguments.ranks)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray.init(num_cpus=arguments.ranks, include_dashboard=False)
    with tempfile.TemporaryDirectory(prefix="ranks-") as results:  # Ray's own; ours is the checkpoint
        trainer = TorchTrainer(
            train_rank,
            train_loop_config=vars(arguments),
            torch_config=TorchConfig(backend="gloo"),
            scaling_config=ScalingConfig(num_workers=arguments.ranks, resources_per_worker={"CPU": 1}),
            run_config=RunConfig(storage_path=results),
        )
        trainer.fit()
        ray.shutdown()


if __name__ == "__main__":
    main()
