import type { Region } from "../../viewer/types.ts";

/** The browser's progress toward drawing a picture's masks itself. */
export type Instant =
  | { readonly at: "loading" }
  | { readonly at: "ready"; readonly embedding: Blob }
  /** The decoder has failed: the service draws the masks, and the next click tries again. */
  | { readonly at: "interrupted"; readonly embedding: Blob }
  /** The service draws its masks. */
  | { readonly at: "failed" };

/** A picture with its embedding: the worker keeps the latest one open. */
export interface Embedded {
  readonly taskId: string;
  readonly embedding: Blob;
}

/** Asks for the mask of a region. */
export interface Decoding {
  readonly region: Region;
  /** The file of the mask to correct; null for none. */
  readonly prior: Blob | null;
}

/** A mask that the browser has drawn, as a job would return it. */
export interface Decoded {
  readonly png: Blob;
  readonly width: number;
  readonly height: number;
  /** The number of pixels inside. */
  readonly area: number;
  /** 0 to 1. */
  readonly confidence: number;
}

/** Request of the page to the decode worker. */
export type DecodeRequest =
  /** The model's decoder. It comes first. */
  | { readonly type: "load"; readonly decoder: Uint8Array }
  | ({ readonly type: "open" } & Embedded)
  | ({ readonly type: "decode" } & Embedded & Decoding);

/** Answer of the worker, in the order of the requests; null if it opened or loaded something. */
export type DecodeAnswer = { readonly done: Decoded | null } | DecodeFailure;

/** Why the worker can't do something. */
export interface DecodeFailure {
  readonly failure: string;
  /** True if another worker can't do it either: the browser may not run WebAssembly. */
  readonly isLasting: boolean;
}
