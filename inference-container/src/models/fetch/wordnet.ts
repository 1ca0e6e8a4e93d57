/** Reads WordNet's noun files; the format is described in WordNet's manual, page wndb(5WN). */

/** The nouns of WordNet: senses by lemma, most frequent first, and the direct hypernyms of each sense. */
export interface Nouns {
  readonly sensesOf: ReadonlyMap<string, readonly string[]>;
  /** Lemmas with a sense that occurs in the ranking corpus; the order of any other lemma's senses means nothing. */
  readonly ranked: ReadonlySet<string>;
  readonly hypernymsOf: ReadonlyMap<string, readonly string[]>;
  /** The licence at the head of the data file, line by line. */
  readonly licence: readonly string[];
}

const HYPERNYM = "@";
const WORDS_BASE = 16;

/** Parses `index.noun` and `data.noun`; senses are named by their offset in the data file. */
export function readNouns(index: string, data: string): Nouns {
  const sensesOf = new Map<string, string[]>();
  const ranked = new Set<string>();
  for (const line of contentLines(index)) {
    const fields = line.trimEnd().split(" ");
    // lemma pos synset_cnt p_cnt [symbol × p_cnt] sense_cnt tagsense_cnt [offset × synset_cnt]
    const [lemma = "", , , pointers] = fields;
    sensesOf.set(lemma, fields.slice(6 + Number(pointers)));
    if (Number(fields[5 + Number(pointers)]) > 0) ranked.add(lemma);
  }
  const hypernymsOf = new Map<string, string[]>();
  for (const line of contentLines(data)) {
    const fields = line.split(" ");
    // offset lex_filenum type w_cnt(hex) [word lex_id × w_cnt] p_cnt [symbol offset pos source/target × p_cnt]
    const pointersAt = 4 + 2 * Number.parseInt(fields[3] ?? "", WORDS_BASE);
    const count = Number(fields[pointersAt]);
    const pointers = Array.from({ length: count }, (_, i) => pointersAt + 1 + 4 * i);
    hypernymsOf.set(
      fields[0] ?? "",
      pointers.filter((at) => fields[at] === HYPERNYM).map((at) => fields[at + 1] ?? ""),
    );
  }
  const licence = data.split("\n", 100).filter((line) => line.startsWith("  "));
  return {
    sensesOf,
    ranked,
    hypernymsOf,
    licence: licence.map((line) => line.replace(/^ +\d+ ?/, "").trimEnd()),
  };
}

/** The licence's lines start with spaces; all others are entries. */
function contentLines(file: string): string[] {
  return file.split("\n").filter((line) => line !== "" && !line.startsWith("  "));
}
