/** CLIP's tokenizer: lower-cased byte pairs between a start and an end token. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { messageOf } from "../../errors.ts";
import { ModelFolderError } from "../errors.ts";
import type { Sam3Manifest } from "./manifest.ts";

/** A prompt as a row of `context` ids: the first `count` are its own, the others padding. */
export interface TokenRow {
  readonly ids: readonly number[];
  readonly count: number;
}

export class ClipTokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #text: Sam3Manifest["text"];

  private constructor(tokenizer: Tokenizer, text: Sam3Manifest["text"]) {
    this.#tokenizer = tokenizer;
    this.#text = text;
  }

  /** @throws ModelFolderError if the file is not a tokenizer, or puts other tokens around a text than the manifest says */
  static async load(folder: string, text: Sam3Manifest["text"]): Promise<ClipTokenizer> {
    const wrong = (reason: string): ModelFolderError =>
      new ModelFolderError(`${text.tokenizer} in ${folder} is not CLIP's tokenizer.json: ${reason}.`);
    const tokenizer = await readTokenizer(join(folder, text.tokenizer)).catch((error: unknown) => {
      throw wrong(messageOf(error));
    });
    const { ids } = tokenizer.encode("a");
    if (ids.length !== 3 || ids[0] !== text.start || ids[2] !== text.end)
      throw wrong(`it encodes "a" as [${ids.join(", ")}] instead of [${text.start}, …, ${text.end}]`);
    return new ClipTokenizer(tokenizer, text);
  }

  /** The ids of a text; one that is too long is cut before its end token, as in CLIP. */
  encode(prompt: string): TokenRow {
    const { context, end, pad } = this.#text;
    const all = this.#tokenizer.encode(prompt).ids;
    const own = all.length > context ? [...all.slice(0, context - 1), end] : all;
    return { ids: [...own, ...Array.from({ length: context - own.length }, () => pad)], count: own.length };
  }
}

async function readTokenizer(path: string): Promise<Tokenizer> {
  // A tokenizer's second file only says what comes between texts and how to decode: neither is needed here.
  return new Tokenizer(z.looseObject({}).parse(JSON.parse(await readFile(path, "utf8"))), {});
}
