"""CLIP's tokenizer, from the vocabulary that the package open_clip_torch contains (OpenAI's, MIT license)."""

import gzip
import json
import re

from transformers import CLIPTokenizer


def clip_tokenizer(vocabulary, pad="<|endoftext|>"):
    """The library's tokenizer over all 48,894 merges. @param vocabulary bpe_simple_vocab_16e6.txt.gz"""
    merges = gzip.decompress(vocabulary.read_bytes()).decode().split("\n")[1 : 49152 - 256 - 2 + 1]
    letters = byte_letters()
    pieces = [*letters, *(letter + "</w>" for letter in letters), *(pair.replace(" ", "") for pair in merges)]
    ids = {piece: place for place, piece in enumerate([*pieces, "<|startoftext|>", "<|endoftext|>"])}
    return CLIPTokenizer(vocab=ids, merges=[tuple(pair.split()) for pair in merges], pad_token=pad)


def byte_letters():
    """GPT-2's letter for each byte, in the order of CLIP's ids."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return [chr(code) for code in [*printable, *(256 + place for place in range(len(others)))]]


def write_reduced(tokenizer, texts, file):
    """Writes the tokenizer.json that the library writes, with only the merges that these texts can go through."""
    backend = tokenizer.backend_tokenizer
    words = set()
    for text in texts:
        normal = backend.normalizer.normalize_str(text)
        words |= {word + "</w>" for word, _ in backend.pre_tokenizer.pre_tokenize_str(normal)}
    described = json.loads(backend.to_str())
    model = described["model"]
    kept = [pair for pair in model["merges"] if any("".join(pair) in word for word in words)]
    singles = {piece for piece in model["vocab"] if len(re.sub("</w>$", "", piece)) == 1}
    pieces = singles | {"".join(pair) for pair in kept} | {"<|startoftext|>", "<|endoftext|>"}
    model["merges"] = kept
    model["vocab"] = {piece: place for piece, place in model["vocab"].items() if piece in pieces}
    described["truncation"] = described["padding"] = None
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(described, ensure_ascii=False, separators=(",", ":")) + "\n")
