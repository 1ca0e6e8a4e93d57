/** BERT's tokenizer, for one phrase that ends with a full stop. */
import type { Tokenizer } from "@huggingface/tokenizers";
import type { GroundingDinoManifest } from "./manifest.ts";
import { openTokenizer } from "../text/tokenizer.ts";

type Text = GroundingDinoManifest["text"];

export class PhraseTokenizer {
  readonly #tokenizer: Tokenizer;
  readonly #text: Text;

  private constructor(tokenizer: Tokenizer, text: Text) {
    this.#tokenizer = tokenizer;
    this.#text = text;
  }

  /** @throws ModelFolderError if the file is not a tokenizer, or puts other tokens around a phrase than the manifest says */
  static async load(folder: string, text: Text): Promise<PhraseTokenizer> {
    const sample = { text: "a.", ids: [text.start, null, text.stop, text.end] };
    return new PhraseTokenizer(await openTokenizer(folder, text.tokenizer, "BERT", sample), text);
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
