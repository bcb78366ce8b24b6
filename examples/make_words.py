"""Makes a small data set of spoken words: WAV files and a manifest as NVIDIA NeMo writes them.

    python examples/make_words.py FOLDER [COUNT]

Words are made of formants and noise, by voices that differ in pitch, size, speed and breath, in rooms that are more
or less noisy. FOLDER gets a file a word, two thirds of them of 16 kHz, the others of 22.05 kHz, and manifest.json. The
same sound every time. Formants of vowels are those of men in Peterson and Barney, Control methods used in a study of
the vowels (1952); bands of noise and lengths are rough figures for English.
"""

import json
import pathlib
import sys
import wave

import numpy as np
from progress import Progress

# Loudness, and three formants in Hz.
VOICED = {
    "i": (1, 270, 2290, 3010), "I": (1, 390, 1990, 2550), "E": (1, 530, 1840, 2480), "a": (1, 660, 1720, 2410),
    "A": (1, 730, 1090, 2440), "O": (1, 570, 840, 2410), "u": (1, 300, 870, 2240), "V": (1, 640, 1190, 2390),
    "m": (0.3, 280, 1000, 2200), "n": (0.3, 280, 1600, 2600), "l": (0.5, 360, 1000, 2700),
}
# Loudness, and the band's ends in Hz.
NOISES = {"s": (0.15, 4000, 7500), "S": (0.2, 2000, 5500), "f": (0.06, 1200, 7500), "p": (0.2, 300, 1500),
          "t": (0.25, 3000, 6500), "k": (0.25, 1500, 3000)}
STOPS = "ptk"  # a pause, then a burst
WORDS = {"see": "si", "sit": "sIt", "set": "sEt", "sat": "sat", "saw": "sO", "soon": "sun", "sun": "sVn",
         "man": "man", "men": "mEn", "moon": "mun", "let": "lEt", "lit": "lIt", "cat": "kat", "pat": "pat",
         "ship": "SIp", "fit": "fIt"}
LENGTHS = {"vowel": 0.17, "voiced": 0.08, "noise": 0.11, "pause": 0.05, "burst": 0.025}  # seconds
RATES = (16000, 22050, 16000)
FRAME = 0.005  # seconds from one value of formants to the next
BANDWIDTHS = np.array([60, 90, 150])  # Hz


def segments(phones, rng):
    """(phone or None, seconds) of a word as one voice says it."""
    slow = rng.uniform(0.75, 1.4)
    for phone in phones:
        kind = "vowel" if phone in "iIEaAOuV" else "voiced" if phone in VOICED else "noise"
        if phone in STOPS:
            yield None, LENGTHS["pause"] * slow
            kind = "burst"
        yield phone, LENGTHS[kind] * slow * rng.uniform(0.8, 1.25)


def smoothed(values, width):
    """The mean of `width` neighbours along the first axis."""
    padded = np.pad(values, [(width // 2, width - 1 - width // 2)] + [(0, 0)] * (values.ndim - 1), mode="edge")
    return np.stack([padded[shift:shift + len(values)] for shift in range(width)]).mean(axis=0)


def between(frames, hop):
    """A value a sample, on straight lines from frame to frame."""
    ramp = np.arange(hop) / hop
    return (frames[:-1, None] + np.diff(frames)[:, None] * ramp).ravel()


def voice(loud, formants, hop, rate, rng):
    """Harmonics of a falling pitch, as loud as the formants make them. `loud`, `formants`: a frame of `hop` samples."""
    pitch = np.exp(rng.uniform(np.log(85), np.log(240))) * np.linspace(1.1, 0.9, len(loud))
    first = np.exp(2j * np.pi * np.cumsum(between(pitch, hop)) / rate)
    turned, sound = np.ones_like(first), np.zeros(len(first))
    for harmonic in range(1, int(3800 / pitch.min())):
        away = (harmonic * pitch[:, None] - formants) / BANDWIDTHS
        turned *= first
        sound += between(loud * (1 / (1 + np.square(away))).sum(axis=1) / harmonic**0.5, hop) * turned.imag
    return sound


def band(rng, count, rate, low, high):
    """Noise of deviation 1 between two frequencies."""
    spectrum = np.fft.rfft(rng.normal(size=count))
    frequencies = np.fft.rfftfreq(count, 1 / rate)
    noise = np.fft.irfft(np.where((frequencies > low) & (frequencies < high), spectrum, 0), count)
    return noise / noise.std()


def spoken(word, rng, rate):
    """The word, said by a voice of its own, in float from -1 to 1."""
    hop = round(FRAME * rate)
    said = [(None, rng.uniform(0.1, 0.4)), *segments(WORDS[word], rng), (None, rng.uniform(0.1, 0.4))]
    counts = [round(seconds / FRAME) for _, seconds in said]
    ends = np.cumsum(counts)
    loud, formants = np.zeros(ends[-1] + 1), np.full((ends[-1] + 1, 3), np.nan)
    hisses = {}
    for (phone, _), end, count in zip(said, ends, counts, strict=True):
        if phone in VOICED:
            loud[end - count:end] = VOICED[phone][0]
            formants[end - count:end] = np.array(VOICED[phone][1:]) * rng.uniform(0.94, 1.06, 3)
        elif phone:
            hisses.setdefault(phone, np.zeros(len(loud)))[end - count:end] = NOISES[phone][0]
    known = np.flatnonzero(~np.isnan(formants[:, 0]))
    places = np.arange(len(loud))
    formants = np.stack([np.interp(places, known, formants[known, f]) for f in range(3)], axis=1)
    formants = smoothed(formants, 9) * rng.uniform(0.87, 1.18)  # the size of the head
    sound = voice(smoothed(loud, 5), formants, hop, rate, rng)
    sound += rng.uniform(0, 0.1) * band(rng, len(sound), rate, 500, 7500) * between(smoothed(loud, 5), hop)
    for phone, gains in hisses.items():
        sound += 3 * band(rng, len(sound), rate, *NOISES[phone][1:]) * between(smoothed(gains, 3), hop)
    room = sound.std() * 10 ** (-rng.uniform(0, 22) / 20)
    sound += room * band(rng, len(sound), rate, 50, 7900)
    return sound / np.abs(sound).max() * rng.uniform(0.1, 0.9)


def write_wav(path, sound, rate):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((sound * 32767).astype("<i2").tobytes())


def make_words(folder, count, first=0, kept_in=None):
    """Writes `count` words and their manifest; `first` numbers the first. Each word comes as often as any other.
    `kept_in` is where the folder will be when it is read, if that is elsewhere: manifests name whole paths."""
    folder = pathlib.Path(folder)
    kept_in = pathlib.Path(kept_in or folder).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for number in Progress(range(first, first + count), "speaking"):
        rng = np.random.Generator(np.random.Philox(key=[11, number]))
        word, rate = list(WORDS)[number % len(WORDS)], RATES[number % len(RATES)]
        sound = spoken(word, rng, rate)
        name = f"{number:05}.wav"
        write_wav(folder / name, sound, rate)
        entries.append({"audio_filepath": str(kept_in / name), "duration": len(sound) / rate, "text": word})
    (folder / "manifest.json").write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))


def texts_of(folder):
    """The word of each entry of the manifest."""
    return [json.loads(line)["text"] for line in (pathlib.Path(folder) / "manifest.json").read_text().splitlines()]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    make_words(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 1600)
