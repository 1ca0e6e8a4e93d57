import { signal } from "@preact/signals";
import { loadScript } from "../state/scripts.ts";
import type { EditedObject, Composition } from "../workspace/rules/edit-history.ts";
import type { ComposedMask } from "../workspace/compose/compose.ts";
import type { Instance } from "../workspace/rules/instances.ts";
import type { MaskWorker } from "../workspace/compose/mask-worker.ts";

/** Mask of an edited object, with its id. */
interface Named extends ComposedMask {
  readonly id: string;
}

/** Masks of a workspace's edited objects, composed once each, when they come into view or are exported. */
export class EditedMasks {
  /** By composition. */
  readonly #made = signal<ReadonlyMap<string, Named>>(new Map());
  readonly #making = new Map<string, Promise<Named>>();
  /** Latest mask of each object, shown until the next one is composed. */
  readonly #latest = new Map<string, Named>();
  #maskWorker: Promise<MaskWorker> | null = null;
  #count = 0;

  /** Returns an edited object with its latest mask. */
  seen({ instance, composition }: EditedObject): Instance {
    const made =
      composition === null
        ? undefined
        : (this.#made.value.get(JSON.stringify(composition)) ?? this.#latest.get(instance.object));
    return made === undefined ? instance : { ...instance, id: made.id, png: made.png };
  }

  /** Composes the mask of an edited object. @param found all objects that the composition may name @throws Error with a sentence */
  async make(
    { instance, composition }: EditedObject,
    found: readonly Instance[],
  ): Promise<Instance & { readonly area?: number }> {
    if (composition === null) return instance;
    const { id, png, area } = await this.#makeOnce(instance.object, composition, found);
    return { ...instance, id, png, area };
  }

  /** Counts the connected parts of an object's mask, up to `MOST_PARTS`. @throws Error with a sentence */
  async partsOf({ instance, composition }: EditedObject, found: readonly Instance[]): Promise<number> {
    const of: Composition = composition ?? { from: "found", object: instance.object };
    return Math.min(MOST_PARTS, (await this.#makeOnce(instance.object, of, found)).parts);
  }

  async #makeOnce(object: string, composition: Composition, found: readonly Instance[]): Promise<Named> {
    const key = JSON.stringify(composition);
    const making = this.#making.get(key) ?? this.#make(object, composition, found, key);
    this.#making.set(key, making);
    return await making;
  }

  async #make(
    object: string,
    composition: Composition,
    found: readonly Instance[],
    key: string,
  ): Promise<Named> {
    this.#maskWorker ??= loadScript(() => import("../workspace/compose/mask-worker.ts")).then(
      ({ MaskWorker: Opened }) => new Opened(),
    );
    const maskWorker = await this.#maskWorker.catch((error: unknown) => {
      this.#maskWorker = null;
      throw error;
    });
    const made = await maskWorker.make(
      composition,
      (name) => found.find((each) => each.object === name)?.png,
    );
    const named = { ...made, id: `${object}#${++this.#count}` };
    this.#latest.set(object, named);
    this.#made.value = new Map(this.#made.peek()).set(key, named);
    return named;
  }

  /** Ends the worker. */
  close(): void {
    void this.#maskWorker?.then((maskWorker) => maskWorker.close());
    this.#maskWorker = null;
  }
}

/** The maximum number of objects that one is split into: the last one has the rest. */
const MOST_PARTS = 20;
