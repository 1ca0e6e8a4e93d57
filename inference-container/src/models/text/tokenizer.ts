import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { messageOf } from "../../errors.ts";
import { ModelFolderError } from "../errors.ts";

/** A model's encoding of a string of one token, with the tokens around it; null is the text's token. */
interface Sample {
  readonly text: string;
  readonly ids: readonly (number | null)[];
}

/**
 * Opens a `tokenizer.json`.
 * @param model the expected model, for the message
 * @throws ModelFolderError if the file is not a tokenizer, or encodes the sample otherwise
 */
export async function openTokenizer(
  folder: string,
  file: string,
  model: string,
  sample: Sample,
): Promise<Tokenizer> {
  const wrong = (reason: string): ModelFolderError =>
    new ModelFolderError(`${file} in ${folder} is not ${model}'s tokenizer.json: ${reason}.`);
  const tokenizer = await readTokenizer(join(folder, file)).catch((error: unknown) => {
    throw wrong(messageOf(error));
  });
  const { ids } = tokenizer.encode(sample.text);
  const fits = ids.length === sample.ids.length && sample.ids.every((id, i) => id === null || id === ids[i]);
  if (!fits) {
    const expected = sample.ids.map((id) => id ?? "…").join(", ");
    throw wrong(`it encodes "${sample.text}" as [${ids.join(", ")}] instead of [${expected}]`);
  }
  return tokenizer;
}

async function readTokenizer(path: string): Promise<Tokenizer> {
  // The second file of a tokenizer describes decoding and separators: this service needs neither.
  return new Tokenizer(z.looseObject({}).parse(JSON.parse(await readFile(path, "utf8"))), {});
}
