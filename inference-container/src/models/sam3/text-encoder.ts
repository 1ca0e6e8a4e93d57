/** Turns prompts into the decoder's features, each computed once. */
import type { Held } from "../../device/held.ts";
import { Usage } from "../../device/usage.ts";
import { ModelFolderError } from "../errors.ts";
import type { Graph, Tensors } from "../graph.ts";
import type { TensorSpec } from "../manifest.ts";
import { heldMemory, type Remembered } from "../memory/remembered.ts";
import { tensorOf } from "../tensors.ts";
import type { Sam3Manifest } from "./manifest.ts";
import type { ClipTokenizer, TokenRow } from "../text/clip-tokenizer.ts";

export class TextEncoder {
  readonly #graph: Graph;
  readonly #tokenizer: ClipTokenizer;
  readonly #wanted: (output: TensorSpec) => boolean;
  readonly #features: Remembered<Held>;

  /** @param wanted selects the outputs that the decoder takes @param cacheBytes limits the memory of earlier prompts */
  constructor(
    graph: Graph,
    tokenizer: ClipTokenizer,
    wanted: (output: TensorSpec) => boolean,
    cacheBytes: number,
  ) {
    this.#graph = graph;
    this.#tokenizer = tokenizer;
    this.#wanted = wanted;
    this.#features = heldMemory(cacheBytes);
  }

  /** The graph's results for one prompt; they stay on the device. */
  async encode(prompt: string, usage: Usage): Promise<Held> {
    const row = this.#tokenizer.encode(prompt);
    const compute = () => this.#graph.hold(usage, this.#feeds(row), { wanted: this.#wanted, followed: true });
    return (await this.#features.get(row.ids.join(), usage, compute)).value;
  }

  /**
   * Checks that the graph distinguishes a prompt from its padding. An export that expects other padding returns a mask
   * that fits the decoder, and features without meaning.
   * @throws ModelFolderError naming the mask's tensor
   */
  async checkMask(prompt: string, { pad }: Sam3Manifest["text"]): Promise<void> {
    const spec = this.#graph.outputs.find(({ role }) => role === "textMask");
    if (spec === undefined) return;
    const row = this.#tokenizer.encode(prompt);
    const marks = (
      await this.#graph.run(new Usage(), this.#feeds(row), { wanted: (output) => output === spec })
    )["textMask"]?.data;
    if (!row.ids.every((_, i) => Boolean(marks?.[i]) === i < row.count))
      throw new ModelFolderError(
        `The output "${spec.name}" of ${this.#graph.file} is not true at the tokens of "${prompt}" alone, in a row padded with ${pad}.`,
      );
  }

  forget(): void {
    this.#features.clear();
  }

  #feeds({ ids, count }: TokenRow): Tensors {
    return Object.fromEntries(
      this.#graph.inputs.map(({ role, dtype }) => {
        const values = role === "ids" ? ids : ids.map((_, i) => (i < count ? 1 : 0));
        return [role, tensorOf(dtype, values, [1, ids.length])];
      }),
    );
  }
}
