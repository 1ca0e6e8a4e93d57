/**
 * A part of CLIP's vocabulary (OpenAI, MIT license): the 256 bytes, and the merges of the tests' words, under their
 * ranks among all 48,894. A word's tokens are the same as with all merges: each step takes the earliest merge that
 * fits, and the part has those.
 */
const MERGES: readonly (readonly [rank: number, pair: string])[] = [
  [0, "i n"],
  [1, "t h"],
  [2, "a n"],
  [3, "r e"],
  [4, "a r"],
  [5, "e r"],
  [6, "th e</w>"],
  [7, "in g</w>"],
  [9, "o n"],
  [11, "o r"],
  [13, "o n</w>"],
  [14, "a l"],
  [15, "a t"],
  [16, "e r</w>"],
  [18, "i n</w>"],
  [19, "t o</w>"],
  [21, "i s</w>"],
  [22, "l e"],
  [24, "a t</w>"],
  [25, "an d</w>"],
  [27, "o f</w>"],
  [32, "e l"],
  [34, "a c"],
  [38, "a n</w>"],
  [39, "a y</w>"],
  [42, "l i"],
  [46, "ð Ł"],
  [51, "v e</w>"],
  [56, "' s</w>"],
  [62, "o o"],
  [63, "d ay</w>"],
  [64, "e n</w>"],
  [66, "n o"],
  [70, "i r"],
  [73, "i t</w>"],
  [74, "y o"],
  [77, "th is</w>"],
  [80, "yo u</w>"],
  [86, "w e"],
  [89, "a s</w>"],
  [94, "h o"],
  [97, "b u"],
  [105, "m o"],
  [106, "k e</w>"],
  [119, "ar e</w>"],
  [122, "c h</w>"],
  [125, "on e</w>"],
  [129, "w or"],
  [130, "er e</w>"],
  [135, "b o"],
  [140, "t er</w>"],
  [152, "l u"],
  [155, "v er</w>"],
  [177, "g re"],
  [190, "a f"],
  [191, "p er"],
  [200, "p l"],
  [201, "' t</w>"],
  [205, "b i"],
  [218, "l d</w>"],
  [224, "re d</w>"],
  [227, "w as</w>"],
  [241, "c an</w>"],
  [254, "p r"],
  [260, "c a"],
  [261, "an t</w>"],
  [271, "no t</w>"],
  [304, "p ho"],
  [312, "b oo"],
  [313, "s on</w>"],
  [314, "el l"],
  [317, "ho w</w>"],
  [409, "b ir"],
  [432, "le c"],
  [450, "o ver</w>"],
  [485, "th ere</w>"],
  [490, "wor ld</w>"],
  [506, "el i"],
  [604, "boo k</w>"],
  [613, "pho to</w>"],
  [616, "bir th"],
  [629, "b or"],
  [654, "birth day</w>"],
  [751, "b lu"],
  [1234, "blu e</w>"],
  [1347, "b eli"],
  [1354, "e ve</w>"],
  [1389, "gre en</w>"],
  [1449, "m ac"],
  [1551, "bo x</w>"],
  [1562, "ðŁ Ĳ"],
  [1630, "ar ing</w>"],
  [1689, "bu t"],
  [1856, "c at</w>"],
  [2000, "ell o</w>"],
  [2021, "per son</w>"],
  [2118, "pr o</w>"],
  [2137, "beli eve</w>"],
  [2171, "bor n</w>"],
  [2266, "f al"],
  [2460, "ca ke</w>"],
  [2794, "h ello</w>"],
  [2797, "we aring</w>"],
  [2935, "h at"],
  [2959, "c af"],
  [3289, "h at</w>"],
  [3400, "pl ant</w>"],
  [3654, "Ã ©</w>"],
  [6011, "in ch</w>"],
  [6440, "but ter</w>"],
  [8034, "li p</w>"],
  [8939, "mo bi"],
  [10119, "ðŁĲ ¶</w>"],
  [14792, "caf Ã©</w>"],
  [19699, "ç Ķ"],
  [20105, "mac book</w>"],
  [32863, "çĶ Ł"],
  [32928, "ç ľ"],
  [41058, "çľ Ł"],
  [42379, "æ ĺ"],
];

const [START, END] = [49406, 49407];
const END_OF_WORD = "</w>";

/** A `tokenizer.json` as published with CLIP and SAM 3, for the words of the tests. */
export function clipTokenizerJson(): object {
  const letters = byteLetters();
  const pieces = [
    ...[...letters, ...letters.map((letter) => letter + END_OF_WORD)].map(
      (piece, id) => [piece, id] as const,
    ),
    ...MERGES.map(([rank, pair]) => [pair.replace(" ", ""), 2 * letters.length + rank] as const),
    ["<|startoftext|>", START] as const,
    ["<|endoftext|>", END] as const,
  ];
  const words = String.raw`'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`;
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [special(START, "<|startoftext|>"), special(END, "<|endoftext|>")],
    normalizer: {
      type: "Sequence",
      normalizers: [
        { type: "NFC" },
        { type: "Replace", pattern: { Regex: String.raw`\s+` }, content: " " },
        { type: "Lowercase" },
      ],
    },
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: words }, behavior: "Removed", invert: true },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: true },
      ],
    },
    post_processor: {
      type: "RobertaProcessing",
      sep: ["<|endoftext|>", END],
      cls: ["<|startoftext|>", START],
      trim_offsets: false,
      add_prefix_space: false,
    },
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: "<|endoftext|>",
      continuing_subword_prefix: "",
      end_of_word_suffix: END_OF_WORD,
      fuse_unk: false,
      vocab: Object.fromEntries(pieces),
      merges: MERGES.map(([, pair]) => pair),
    },
  };
}

/** GPT-2's letter for each byte, in the order of CLIP's ids: printable Latin-1 first, then the other bytes from U+0100. */
function byteLetters(): string[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const printable = bytes.filter((byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173));
  const others = bytes.filter((byte) => !printable.includes(byte));
  return [...printable, ...others.map((_, place) => 256 + place)].map((code) => String.fromCharCode(code));
}

function special(id: number, content: string): object {
  return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
}
