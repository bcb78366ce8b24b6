"""Operators on sound."""

from operator_table import measured

SPECTRUM = {"nfft": 512, "window_length": 400, "window_step": 160}

measured("spectrogram", lambda lib, x: lib.fn.spectrogram(x, **SPECTRUM), "sounds", bar="close")
measured("power_spectrum", lambda lib, x: lib.fn.power_spectrum(x, nfft=4096), "vectors", bar="close")
measured("mel_filter_bank", lambda lib, x: lib.fn.mel_filter_bank(x, nfilter=80, sample_rate=16000.0), "spectra",
         bar="close")
measured("to_decibels", lambda lib, x: lib.fn.to_decibels(x, multiplier=10.0, cutoff_db=-80.0), "mel_spectra", bar="close")
measured("mfcc", lambda lib, x: lib.fn.mfcc(x, n_mfcc=20), "mel_spectra", bar="close")
measured("preemphasis_filter", lambda lib, x: lib.fn.preemphasis_filter(x), "sounds", bar="close")
measured("nonsilent_region", lambda lib, x: lib.fn.nonsilent_region(x, cutoff_db=-40.0), "sounds")
