/** Bridges gaps in tracks: searches for an object that the detector misses for a moment, where it is expected. */
import type { Corners, Size } from "@segmentation/masks";
import { clipBox } from "../models/box.ts";
import type { Followable, Instance, PictureAppearance } from "../models/model.ts";
import { coverage } from "../models/sam2/appearance.ts";
import { descriptorOf } from "./choice.ts";
import { type Claim, find, type Sought } from "./find.ts";
import { glimpse, Memory } from "./memory.ts";
import { windowAbout } from "./parts.ts";
import type { Gap } from "../tracking/tracker.ts";

/** Seconds after its last detection for which an object is searched without one. */
export const LONGEST_BRIDGE_SECONDS = 1;

/** Times of frames are rounded: a frame just a second later counts. */
const TOLERANCE_SECONDS = 0.02;

/** A single detection may be an error, and gets no bridge. */
const LEAST_DETECTIONS = 2;

/** The share of its expected box that must lie in the picture: a leaving object is not bridged. */
const LEAST_INSIDE = 0.5;

/** An object at its last detection. */
interface Known extends Pick<Instance, "score" | "mask" | "box" | "promptIndex"> {
  readonly timeSec: number;
  readonly detections: number;
  /** The appearance of the whole frame, which its objects share. */
  readonly appearance: PictureAppearance;
  /** The search since the detector missed it. */
  pursuit?: { readonly memory: Memory; readonly descriptor: Float32Array; last: Sought["last"] };
}

/** An object that was found without a detection. */
export interface Bridged extends Pick<Instance, "promptIndex" | "score" | "mask" | "box"> {
  readonly objectId: number;
}

export class Bridges {
  readonly #frame: Size;
  readonly #known = new Map<number, Known>();

  /** @param frame the size of the frames in pixels */
  constructor(frame: Size) {
    this.#frame = frame;
  }

  /** Remembers a detected object. @param appearance the frame's */
  detected(objectId: number, timeSec: number, instance: Instance, appearance: PictureAppearance): void {
    const { score, mask, box, promptIndex } = instance;
    const detections = (this.#known.get(objectId)?.detections ?? 0) + 1;
    this.#known.set(objectId, { score, mask, box, promptIndex, timeSec, detections, appearance });
  }

  /**
   * The objects of the gaps that are in the frame at `timeSec`. Forgets objects without a detection for too long.
   * @param others the masks of the frame's other objects, and their prompts: two objects of one prompt are not in one
   * place
   */
  async find(
    timeSec: number,
    gaps: readonly Gap[],
    picture: Followable,
    others: readonly (Claim & { readonly promptIndex?: number })[],
  ): Promise<Bridged[]> {
    for (const [id, known] of this.#known)
      if (timeSec - known.timeSec > LONGEST_BRIDGE_SECONDS + TOLERANCE_SECONDS) this.#known.delete(id);
    const sought = gaps.flatMap((gap) => this.#sought(gap) ?? []);
    if (sought.length === 0) return [];
    const appearance = await picture.appearance();
    const promptOf = ({ objectId }: Claim): number | undefined =>
      gaps.find(({ id }) => id === objectId)?.promptIndex ??
      others.find((other) => other.objectId === objectId)?.promptIndex;
    const scene = { frame: this.#frame, timeSec, picture, appearance };
    const found = await find(sought, scene, others, (a, b) => promptOf(a) !== promptOf(b));
    return found.flatMap(({ sought: { objectId }, mask, descriptor, inside, box, value }) => {
      const known = this.#known.get(objectId);
      if (known?.pursuit === undefined) return [];
      known.pursuit.last = { mask, descriptor };
      const seen = glimpse(appearance, windowAbout(box, this.#frame, appearance), inside);
      known.pursuit.memory.add({ timeSec, sureness: value, known: seen });
      return [
        { objectId, promptIndex: known.promptIndex, score: known.score, mask: picture.cleaned(mask), box },
      ];
    });
  }

  #sought({ id, box, moved }: Gap): Sought | undefined {
    const known = this.#known.get(id);
    const inside = clipBox(box, this.#frame.width, this.#frame.height);
    if (known === undefined || inside === undefined || known.detections < LEAST_DETECTIONS) return undefined;
    if (areaOf(inside) < LEAST_INSIDE * areaOf(box)) return undefined;
    known.pursuit ??= this.#begun(known);
    return { objectId: id, inParts: false, ...known.pursuit, expected: { box: inside, moved } };
  }

  #begun({ timeSec, mask, box, appearance }: Known): NonNullable<Known["pursuit"]> {
    const inside = coverage(mask, appearance.width, appearance.height);
    const descriptor = descriptorOf(appearance, inside);
    const known = glimpse(appearance, windowAbout(box, this.#frame, appearance), inside);
    return { memory: new Memory({ timeSec, sureness: 1, known }), descriptor, last: { mask, descriptor } };
  }
}

const areaOf = ([x1, y1, x2, y2]: Corners): number => (x2 - x1) * (y2 - y1);
