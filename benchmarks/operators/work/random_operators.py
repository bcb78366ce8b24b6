"""Operators that draw: each library has numbers of its own, so that their distribution is compared."""

from operator_table import measured

measured("random.uniform", lambda lib: lib.fn.random.uniform(range=[-1.0, 1.0]), bar="drawn")
measured("random.uniform of a picture", lambda lib, x: lib.fn.random.uniform(x, range=[-1.0, 1.0]), "float_photos",
         bar="drawn")
measured("random.normal", lambda lib: lib.fn.random.normal(stddev=2.0), bar="drawn")
measured("random.normal of a picture", lambda lib, x: lib.fn.random.normal(x, stddev=2.0), "float_photos", bar="drawn")
measured("random.coin_flip", lambda lib: lib.fn.random.coin_flip(probability=0.3), bar="drawn")
measured("random.choice", lambda lib: lib.fn.random.choice([1, 5, 9], p=[0.2, 0.3, 0.5], shape=[100]), bar="drawn")
measured("random.beta", lambda lib: lib.fn.random.beta(alpha=0.4, beta=0.4), bar="drawn")
measured("batch_permutation", lambda lib: lib.fn.batch_permutation(), bar="drawn")
measured("noise.gaussian", lambda lib, x: lib.fn.noise.gaussian(x, stddev=9.0), "small_photos", bar="drawn")
measured("noise.shot", lambda lib, x: lib.fn.noise.shot(x, factor=20.0), "small_photos", bar="drawn")
measured("noise.salt_and_pepper", lambda lib, x: lib.fn.noise.salt_and_pepper(x, prob=0.1), "small_photos", bar="drawn")
