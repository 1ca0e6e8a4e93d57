/** Maps a person's words to the labels that the detector knows. */
import { cutText } from "@segmentation/protocol";
import { Usage } from "../../device/usage.ts";
import { ByteCache } from "../byte-cache.ts";
import type { BuiltinManifest } from "./manifest.ts";
import { narrowing, phraseWords, singularForms } from "./phrase.ts";
import { cosine } from "../arithmetic.ts";
import type { TextEncoder } from "./text-encoder.ts";

/** The labels that a prompt means, as indexes into the vocabulary, or why it means none. */
export type Resolution =
  | { readonly labels: readonly number[] }
  | { readonly labels: readonly []; readonly message: string };

const QUOTED_CHARACTERS = 80;
const ENTRY_OVERHEAD_BYTES = 256;
const EXAMPLES = "person, car, dog, chair and cup";

export class Vocabulary {
  readonly #manifest: BuiltinManifest;
  readonly #nouns: NounTable;
  readonly #encoder: TextEncoder;
  readonly #embeddings: readonly Float32Array[];
  readonly #resolutions: ByteCache<{ prompt: string; resolution: Resolution }>;

  private constructor(
    manifest: BuiltinManifest,
    nouns: NounTable,
    encoder: TextEncoder,
    embeddings: readonly Float32Array[],
    cacheBytes: number,
  ) {
    this.#manifest = manifest;
    this.#nouns = nouns;
    this.#encoder = encoder;
    this.#embeddings = embeddings;
    this.#resolutions = new ByteCache(cacheBytes, ({ prompt }) => 4 * prompt.length + ENTRY_OVERHEAD_BYTES);
  }

  /** Embeds the labels; `cacheBytes` limits the memory of earlier prompts. */
  static async load(
    manifest: BuiltinManifest,
    nouns: NounTable,
    encoder: TextEncoder,
    cacheBytes: number,
  ): Promise<Vocabulary> {
    const embeddings: Float32Array[] = [];
    const usage = new Usage();
    for (const { name } of manifest.vocabulary.labels) embeddings.push(await encoder.embed(name, usage));
    return new Vocabulary(manifest, nouns, encoder, embeddings, cacheBytes);
  }

  /**
   * Finds a label's name, an alias or a WordNet noun at or under a label, for the whole phrase, then for shorter and
   * shorter ends of it. If nothing matches, takes the label with the nearest embedding, if it is near enough.
   */
  async resolve(prompt: string, usage: Usage): Promise<Resolution> {
    const cached = this.#resolutions.get(prompt);
    if (cached !== undefined) return cached.resolution;
    const resolution = await this.#look(prompt, usage);
    this.#resolutions.set(prompt, { prompt, resolution });
    return resolution;
  }

  async #look(prompt: string, usage: Usage): Promise<Resolution> {
    const words = phraseWords(prompt);
    if (words.length === 0 || !/[a-z]/.test(words.join("")))
      return this.#outside(prompt, "It reads English nouns.");
    const listed = this.#listed(words);
    if (listed?.length === 0) return this.#outside(prompt, "");
    if (listed !== undefined) return { labels: listed };
    const nearest = await this.#nearest(words, usage);
    if (nearest.label !== undefined) return { labels: [nearest.label] };
    return this.#outside(prompt, nearest.hint);
  }

  /** Labels by name, alias or WordNet: an empty list for a word known to be outside, undefined for an unknown word. */
  #listed(words: readonly string[]): readonly number[] | undefined {
    for (const phrase of narrowing(words))
      for (const form of singularForms(phrase)) {
        const labels = this.#labelsOf(form);
        if (labels !== undefined) return labels;
      }
    return undefined;
  }

  #labelsOf(phrase: string): readonly number[] | undefined {
    const { labels, aliases } = this.#manifest.vocabulary;
    const named = labels.findIndex(({ name }) => name === phrase);
    if (named >= 0) return [named];
    const names = Object.hasOwn(aliases, phrase) ? aliases[phrase] : undefined;
    if (names !== undefined)
      return labels.flatMap(({ name }, index) => (names.includes(name) ? [index] : []));
    return this.#nouns.get(phrase);
  }

  /** The label nearest to the phrase or to its head noun; if none is near enough, a hint. */
  async #nearest(
    words: readonly string[],
    usage: Usage,
  ): Promise<{ label: number | undefined; hint: string }> {
    const { matching, vocabulary } = this.#manifest;
    let hint = "";
    for (const phrase of new Set([words.join(" "), words.at(-1) ?? ""])) {
      const { label, similarity } = this.#ranked(await this.#encoder.embed(phrase, usage));
      const name = vocabulary.labels[label]?.name ?? "";
      if (isPartOf(words, name)) continue;
      if (similarity >= matching.similarity) return { label, hint: "" };
      if (similarity >= matching.suggestion && hint === "") hint = `The nearest it knows is "${name}".`;
    }
    return { label: undefined, hint };
  }

  #ranked(embedding: Float32Array): { label: number; similarity: number } {
    const similarities = this.#embeddings.map((label) => cosine(label, embedding));
    const similarity = Math.max(...similarities);
    return { label: similarities.indexOf(similarity), similarity };
  }

  #outside(prompt: string, hint: string): Resolution {
    const { length } = this.#manifest.vocabulary.labels;
    const message = `"${cutText(prompt, QUOTED_CHARACTERS)}" is outside the vocabulary of the embedded model, which knows ${length} nouns such as ${EXAMPLES}.`;
    return { labels: [], message: hint === "" ? message : `${message} ${hint}` };
  }
}

/** A car window is not a car: the label only says what the thing belongs to. */
function isPartOf(words: readonly string[], label: string): boolean {
  const labelWords = label.split(" ");
  const before = new Set(words.slice(0, -1).flatMap(singularForms));
  return labelWords.every((word) => before.has(word));
}

/** Label indexes by lemma. */
type NounTable = ReadonlyMap<string, readonly number[]>;

/** Reads `lemma<TAB>index,index` lines; lines that start with "#" carry the licence. */
export function readNounTable(text: string): NounTable {
  const table = new Map<string, readonly number[]>();
  for (const line of text.split("\n")) {
    const [lemma, indexes] = line.split("\t");
    if (lemma === undefined || indexes === undefined || lemma.startsWith("#")) continue;
    table.set(lemma, indexes.split(",").map(Number));
  }
  return table;
}
