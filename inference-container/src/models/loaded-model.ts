import type { Model } from "./model.ts";

/** A tensor as a graph or a server has it; a dimension of any size is given by its name. */
export interface NamedTensor {
  readonly role: string;
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly (number | string)[];
}

/** The tensors of a graph, by its file, or of a server's model. */
export interface NamedSignature {
  readonly name: string;
  readonly inputs: readonly NamedTensor[];
  readonly outputs: readonly NamedTensor[];
}

/** A model as its family opens it. */
export interface LoadedModel extends Model {
  /** What it takes and gives, in the order of loading. */
  readonly signatures: readonly NamedSignature[];
  /** Drops the remembered results for pictures and prompts. */
  forget(): void;
}
