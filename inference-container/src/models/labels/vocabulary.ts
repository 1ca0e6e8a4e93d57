/** Maps a person's words to the labels that the detector knows. */
import { Usage } from "../../device/usage.ts";
import { ByteCache } from "../memory/byte-cache.ts";
import type { LabelsManifest } from "./manifest.ts";
import { narrowing, phraseWords, singularForms } from "../text/phrase.ts";
import { cosine } from "../arithmetic.ts";
import { ONE_EACH, quote, quoteAll, thingsByMarks, thingsByWords } from "../text/prompt-list.ts";
import type { TextEncoder } from "./text-encoder.ts";

/** The meaning of a prompt. */
export interface Resolution {
  /** Indexes into the vocabulary. */
  readonly labels: readonly number[];
  /** The reason why it has no label, or the things that its labels leave out. */
  readonly message?: string;
}

/** The most things of a prompt that the vocabulary resolves. */
const MOST_THINGS = 32;
const ENTRY_OVERHEAD_BYTES = 256;
const EXAMPLES = "person, car, dog, chair and cup";

export class Vocabulary {
  readonly #manifest: LabelsManifest;
  readonly #nouns: NounTable;
  readonly #encoder: TextEncoder;
  readonly #embeddings: readonly Float32Array[];
  readonly #resolutions: ByteCache<{ prompt: string; resolution: Resolution }>;

  private constructor(
    manifest: LabelsManifest,
    nouns: NounTable,
    encoder: TextEncoder,
    embeddings: readonly Float32Array[],
    cacheBytes: number,
  ) {
    this.#manifest = manifest;
    this.#nouns = nouns;
    this.#encoder = encoder;
    this.#embeddings = embeddings;
    this.#resolutions = new ByteCache(cacheBytes, ({ prompt }) => 8 * prompt.length + ENTRY_OVERHEAD_BYTES);
  }

  /** Embeds the labels; `cacheBytes` limits the memory of earlier prompts. */
  static async load(
    manifest: LabelsManifest,
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
   * Finds a label's name, an alias or a WordNet noun at or under a label: first for the whole phrase, then for its
   * shorter and shorter ends. If nothing matches, takes the label with the nearest embedding, if it is near enough.
   */
  async resolve(prompt: string, usage: Usage): Promise<Resolution> {
    const cached = this.#resolutions.get(prompt);
    if (cached !== undefined) return cached.resolution;
    const resolution = await this.#completed(prompt, await this.#look(prompt, usage), usage);
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

  /** A prompt's resolution, with a message if the labels leave out some of its things. */
  async #completed(prompt: string, found: Resolution, usage: Usage): Promise<Resolution> {
    const marked = thingsByMarks(prompt).slice(0, MOST_THINGS);
    const things = marked.flatMap((part, i) => {
      const joined = thingsByWords(part).filter((thing) => this.#isKnown(thing));
      return (joined.length > 1 ? joined : [part]).map((thing) => ({ thing, next: marked[i + 1] ?? "" }));
    });
    // An ordinary prompt needs no second resolution.
    if (things.length < 2) return found;
    const served: string[] = [];
    const unserved: string[] = [];
    for (const { thing, next } of things) {
      const { labels } = await this.#look(thing, usage);
      // "rusty, old car": an unknown word before others is probably an adjective.
      const isAttribute = labels.length === 0 && !/\s/.test(thing) && /\s/.test(next);
      if (isAttribute) continue;
      const isServed = labels.length > 0 && labels.every((label) => found.labels.includes(label));
      (isServed ? served : unserved).push(thing);
    }
    if (unserved.length === 0 || served.length + unserved.length < 2) return found;
    const { labels, message } = found;
    if (message !== undefined) return { labels, message: `${message} ${ONE_EACH}` };
    const sought = served.length > 0 ? ` for ${quoteAll(served)},` : "";
    return {
      labels,
      message: `Of the prompt ${quote(prompt)}, the model looked only${sought} not for ${quoteAll(unserved)}. ${ONE_EACH}`,
    };
  }

  /** True if a thing is one of the vocabulary by its noun. */
  #isKnown(thing: string): boolean {
    return (this.#listed(phraseWords(thing))?.length ?? 0) > 0;
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
    const message = `${quote(prompt)} is outside the vocabulary of the model, which knows ${length} nouns such as ${EXAMPLES}.`;
    return { labels: [], message: hint === "" ? message : `${message} ${hint}` };
  }
}

/** A car window is not a car: the label only names the whole. */
function isPartOf(words: readonly string[], label: string): boolean {
  const labelWords = label.split(" ");
  const before = new Set(words.slice(0, -1).flatMap(singularForms));
  return labelWords.every((word) => before.has(word));
}

/** Label indexes by lemma. */
type NounTable = ReadonlyMap<string, readonly number[]>;

/** Reads `lemma<TAB>index,index` lines; lines that start with "#" carry the license. */
export function readNounTable(text: string): NounTable {
  const table = new Map<string, readonly number[]>();
  for (const line of text.split("\n")) {
    const [lemma, indexes] = line.split("\t");
    if (lemma === undefined || indexes === undefined || lemma.startsWith("#")) continue;
    table.set(lemma, indexes.split(",").map(Number));
  }
  return table;
}
