/** BERT's tokenizer, for one phrase that ends with a full stop. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { messageOf } from "../../errors.ts";
import { ModelFolderError } from "../errors.ts";
import type { GroundingDinoManifest } from "./manifest.ts";

type Text = GroundingDinoManifest["text"];

export class PhraseTokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #text: Text;

  private constructor(tokenizer: Tokenizer, text: Text) {
    this.#tokenizer = tokenizer;
    this.#text = text;
  }

  /**
   * @throws ModelFolderError if the file is not a tokenizer, or puts other tokens around a phrase than the manifest
   * says
   */
  static async load(folder: string, text: Text): Promise<PhraseTokenizer> {
    const wrong = (reason: string): ModelFolderError =>
      new ModelFolderError(`${text.tokenizer} in ${folder} is not BERT's tokenizer.json: ${reason}.`);
    const tokenizer = await readTokenizer(join(folder, text.tokenizer)).catch((error: unknown) => {
      throw wrong(messageOf(error));
    });
    const { ids } = tokenizer.encode("a.");
    const [start, , stop, end] = ids;
    if (ids.length !== 4 || start !== text.start || stop !== text.stop || end !== text.end)
      throw wrong(
        `it encodes "a." as [${ids.join(", ")}] instead of [${text.start}, …, ${text.stop}, ${text.end}]`,
      );
    return new PhraseTokenizer(tokenizer, text);
  }

  /**
   * The ids of a prompt as one phrase: start, its words, a full stop, end. Full stops and question marks in it become
   * spaces: they would split it into several phrases, and exports in use fix the number of phrases at one.
   */
  encode(prompt: string): number[] {
    const { context, stop, end } = this.#text;
    const ids = this.#tokenizer.encode(`${prompt.replaceAll(/[.?]/g, " ").trim()}.`).ids;
    return ids.length > context ? [...ids.slice(0, context - 2), stop, end] : ids;
  }
}

async function readTokenizer(path: string): Promise<Tokenizer> {
  return new Tokenizer(z.looseObject({}).parse(JSON.parse(await readFile(path, "utf8"))), {});
}
