/**
 * Reduces WordNet to the nouns that mean a label of a closed vocabulary.
 *
 * A noun's first, most frequent sense decides: by later senses, a mug and a sneaker would be persons. A noun means the
 * nearest label that it equals or falls under (taxi: car); a wider noun means every label under it (animal), unless
 * those are too many to mean anything (thing).
 */
import type { Label } from "../labels/manifest.ts";

/** The most labels under a word; more make it too general to look for. */
const WIDEST = 12;

/**
 * The table as text: WordNet's license in lines that start with "#", then `lemma<TAB>label indexes joined by commas`.
 * @throws Error naming a label whose sense is not in WordNet
 */
export function reduceNouns(nouns: Nouns, labels: readonly Label[]): string {
  const named = labelledSenses(nouns, labels);
  const wide = widerSenses(nouns, named);
  const table = new Map<string, readonly number[]>();
  for (const lemma of nouns.sensesOf.keys()) {
    const sense = leadingSense(nouns, lemma);
    const nearest = nearestLabels(nouns, named, sense);
    const under = nearest.length > 0 ? nearest : [...(wide.get(sense) ?? [])];
    if (under.length > 0 && under.length <= WIDEST) table.set(lemma, under);
  }
  const lines = [...table].map(
    ([lemma, under]) => `${lemma.replaceAll("_", " ")}\t${under.toSorted((a, b) => a - b).join(",")}`,
  );
  return [...nouns.licence.map((line) => `# ${line}`.trimEnd()), ...lines.toSorted(), ""].join("\n");
}

/**
 * The sense that decides for a noun. If the corpus ranks none, an animal comes first: WordNet's first ostrich is a
 * person who refuses to see and its first gull a gullible one, but in a photograph they are birds.
 */
function leadingSense(nouns: Nouns, lemma: string): string {
  const senses = nouns.sensesOf.get(lemma) ?? [];
  if (nouns.ranked.has(lemma)) return senses[0] ?? "";
  const animal = new Map([[nouns.sensesOf.get("animal")?.[0] ?? "", 0]]);
  return senses.find((sense) => nearestLabels(nouns, animal, sense).length > 0) ?? senses[0] ?? "";
}

function labelledSenses(nouns: Nouns, labels: readonly Label[]): Map<string, number> {
  const named = new Map<string, number>();
  for (const [index, label] of labels.entries())
    for (const sense of label.senses) {
      const [lemma = "", number] = sense.split("#");
      const offset = nouns.sensesOf.get(lemma)?.[Number(number) - 1];
      if (offset === undefined)
        throw new Error(`WordNet has no sense ${sense}, which the label "${label.name}" names.`);
      named.set(offset, index);
    }
  return named;
}

/** Searches the hypernyms breadth first: a hot dog is a hot dog before it is a sandwich. */
function nearestLabels(nouns: Nouns, named: ReadonlyMap<string, number>, sense: string): number[] {
  const seen = new Set<string>();
  for (let level = [sense]; level.length > 0;) {
    const found = level.flatMap((offset) => named.get(offset) ?? []);
    if (found.length > 0) return [...new Set(found)];
    for (const offset of level) seen.add(offset);
    level = level
      .flatMap((offset) => nouns.hypernymsOf.get(offset) ?? [])
      .filter((offset) => !seen.has(offset));
  }
  return [];
}

/** Every sense above a label's, with the labels below it. */
function widerSenses(nouns: Nouns, named: ReadonlyMap<string, number>): Map<string, Set<number>> {
  const wide = new Map<string, Set<number>>();
  const climb = (offset: string, label: number): void => {
    for (const above of nouns.hypernymsOf.get(offset) ?? []) {
      const below = wide.get(above) ?? new Set();
      wide.set(above, below.add(label));
      climb(above, label);
    }
  };
  for (const [offset, label] of named) climb(offset, label);
  return wide;
}

/** The nouns of WordNet: senses by lemma, most frequent first, and the direct hypernyms of each sense. */
interface Nouns {
  readonly sensesOf: ReadonlyMap<string, readonly string[]>;
  /** Lemmas with a sense that occurs in the ranking corpus; the order of other lemmas' senses is meaningless. */
  readonly ranked: ReadonlySet<string>;
  readonly hypernymsOf: ReadonlyMap<string, readonly string[]>;
  /** The license at the head of the data file, line by line. */
  readonly licence: readonly string[];
}

const HYPERNYM = "@";
const WORDS_BASE = 16;

/** Parses `index.noun` and `data.noun`, whose format WordNet's manual describes (page wndb(5WN)); senses are named by their offset in the data file. */
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

/** The license's lines start with spaces; all others are entries. */
function contentLines(file: string): string[] {
  return file.split("\n").filter((line) => line !== "" && !line.startsWith("  "));
}
