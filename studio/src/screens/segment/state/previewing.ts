import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Aim } from "../../../viewer/input/pointing.ts";
import type { Layer, Region } from "../../../viewer/types.ts";
import { decode, instantOf, prepare } from "../../../workspace/decoding/instant.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { Refining } from "./refining.ts";

/** Time that the pointer rests before a preview is drawn, so at most ten a second. */
const REST_MS = 100;

/** White, which no object has. */
const COLOUR = { css: "#fff", rgb: [255, 255, 255] } as const;

/** State that previews depend on. */
interface Previewed {
  readonly workspace: Workspace;
  readonly layers: ReadonlySignal<readonly Layer[]>;
  readonly refining: Pick<Refining, "priorOf">;
}

/** The mask of a click at the pointer, before it is clicked. */
export class Previewing {
  readonly #shown = signal<{
    readonly picture: string;
    readonly aim: Aim;
    readonly layer: Layer;
  } | null>(null);
  readonly #previewed: Previewed;
  #rest: ReturnType<typeof setTimeout> | undefined;
  #aim: Aim | null = null;
  #count = 0;

  constructor(previewed: Previewed) {
    this.#previewed = previewed;
  }

  /** The picture's layers with the preview, if there is one. */
  readonly layers = computed((): readonly Layer[] => {
    const { value: shown } = this.#shown;
    const { workspace, layers } = this.#previewed;
    return shown?.picture === workspace.openPicture.value?.key && shown !== null
      ? [...layers.value, shown.layer]
      : layers.value;
  });

  /** Has a preview drawn where the pointer rests. One stays as long as the pointer is inside it. */
  aim(aim: Aim | null): void {
    const { workspace } = this.#previewed;
    const key = workspace.openPicture.peek()?.key;
    if (key === undefined) return;
    void prepare(workspace, key);
    if (aim !== null && aim.mask !== null && aim.mask === this.#shown.peek()?.layer.id) return;
    this.clear();
    // On another mask, a click is for that one.
    if (aim === null || aim.region === null || (aim.mask !== null && !aim.replacesLatest)) return;
    this.#aim = aim;
    this.#rest = setTimeout(() => void this.#draw(key, aim), REST_MS);
  }

  /** The region of a new object whose preview is clicked: the visible mask is drawn at once. Null if a mask is no such preview. */
  regionOf(mask: string): Region | null {
    const { value: shown } = this.#shown;
    return shown?.layer.id === mask && !shown.aim.replacesLatest ? shown.aim.region : null;
  }

  /** Shows no preview. */
  clear(): void {
    clearTimeout(this.#rest);
    this.#aim = null;
    this.#shown.value = null;
  }

  async #draw(key: string, aim: Aim): Promise<void> {
    const { workspace, refining } = this.#previewed;
    const prior = refining.priorOf(aim.replacesLatest);
    if (instantOf(workspace, key)?.at !== "ready" || aim.region === null || prior === undefined) return;
    const { png, area } = await decode(workspace, key, aim.region, prior).catch(() => ({
      png: null,
      area: 0,
    }));
    if (this.#aim !== aim || png === null || area === 0) return;
    const id = `preview/${++this.#count}`;
    this.#shown.value = {
      picture: key,
      aim,
      layer: { id, mask: png, colour: COLOUR, visible: true, label: "Preview" },
    };
  }
}
