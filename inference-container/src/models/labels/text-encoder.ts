/** Sentence embeddings of short texts: mean-pooled, normalized MiniLM states. */
import { Tokenizer } from "@huggingface/tokenizers";
import { Tensor } from "../../onnx/runtime.ts";
import type { Usage } from "../../device/usage.ts";
import { floats, type Graph } from "../graph.ts";
import { unit } from "../arithmetic.ts";

export class TextEncoder {
  readonly #graph: Graph;
  readonly #tokenizer: Tokenizer;
  readonly #maxTokens: number;

  /** `tokenizer` and `config` are the parsed `tokenizer.json` and `tokenizer_config.json`. */
  constructor(graph: Graph, tokenizer: object, config: object, maxTokens: number) {
    this.#graph = graph;
    this.#tokenizer = new Tokenizer(tokenizer, config);
    this.#maxTokens = maxTokens;
  }

  /**
   * The unit vector of one text. Texts run one by one: the graph quantizes its activations by the range of the whole
   * batch, so a neighbor would change the result.
   */
  async embed(text: string, usage: Usage): Promise<Float32Array> {
    const ids = this.#tokenizer.encode(text).ids.slice(0, this.#maxTokens);
    const row = (value: (id: number) => number): Tensor =>
      new Tensor(
        "int64",
        BigInt64Array.from(ids, (id) => BigInt(value(id))),
        [1, ids.length],
      );
    const states = floats(
      await this.#graph.run(usage, { ids: row((id) => id), mask: row(() => 1), types: row(() => 0) }),
      "states",
    );
    return unit(meanPool(states, ids.length));
  }
}

function meanPool(states: Float32Array, tokens: number): Float32Array {
  const size = states.length / tokens;
  const mean = new Float32Array(size);
  for (const [i, value] of states.entries()) mean[i % size] = (mean[i % size] ?? 0) + value / tokens;
  return mean;
}
