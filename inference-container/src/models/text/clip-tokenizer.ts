/** CLIP's tokenizer: lower-cased byte pairs between a start and an end token. */
import type { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { FileName } from "../manifest.ts";
import { openTokenizer } from "./tokenizer.ts";

/** Manifest fields of the tokens of a CLIP-like text encoder. */
export const ClipText = z.strictObject({
  /** A `tokenizer.json` of CLIP's byte pairs. */
  tokenizer: FileName,
  /** Token ids per row, start and end included. */
  context: z.int().min(3),
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
  /** Fills up a row. */
  pad: z.int().nonnegative(),
});
export type ClipText = z.infer<typeof ClipText>;

/** A prompt as a row of `context` ids: the first `count` are its own, the others padding. */
export interface TokenRow {
  readonly ids: readonly number[];
  readonly count: number;
}

export class ClipTokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #text: ClipText;

  private constructor(tokenizer: Tokenizer, text: ClipText) {
    this.#tokenizer = tokenizer;
    this.#text = text;
  }

  /** @throws ModelFolderError if the file is not a tokenizer, or puts other tokens around a string than the manifest says */
  static async load(folder: string, text: ClipText): Promise<ClipTokenizer> {
    const sample = { text: "a", ids: [text.start, null, text.end] };
    return new ClipTokenizer(await openTokenizer(folder, text.tokenizer, "CLIP", sample), text);
  }

  /** The ids of a string; a string that is too long is cut before its end token, as in CLIP. */
  encode(prompt: string): TokenRow {
    const { context, end, pad } = this.#text;
    const all = this.#tokenizer.encode(prompt).ids;
    const own = all.length > context ? [...all.slice(0, context - 1), end] : all;
    return { ids: [...own, ...Array.from({ length: context - own.length }, () => pad)], count: own.length };
  }
}
