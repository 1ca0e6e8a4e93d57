import type { Patch } from "./index-map.ts";
import type { PackedMask } from "./packed.ts";
import type { MaskSource } from "../types.ts";

/** What the page asks of the worker that has the masks. */
export type Request =
  /** Begins anew, with an empty map of that size; a pixel of it stands for `step` × `step` of the picture. */
  | { readonly type: "open"; readonly width: number; readonly height: number; readonly step: number }
  /** Decodes a mask. */
  | { readonly type: "decode"; readonly key: string; readonly source: MaskSource }
  | { readonly type: "forget"; readonly keys: readonly string[] }
  /** Shows these masks and no others, each with its slot; masks that are still being decoded come when they are. */
  | {
      readonly type: "show";
      readonly turn: number;
      readonly masks: readonly { readonly key: string; readonly slot: number }[];
    };

/** What the worker answers. */
export type Answer =
  | { readonly type: "decoded"; readonly key: string; readonly mask: PackedMask }
  | { readonly type: "damaged"; readonly key: string }
  /** The map's part that has changed since the last answer, null if none has; `whole` once all masks of the turn are in it. */
  | {
      readonly type: "shown";
      readonly turn: number;
      readonly whole: boolean;
      readonly patch: Patch | null;
    };
