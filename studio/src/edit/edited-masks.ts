import { signal } from "@preact/signals";
import type { EditedObject, Recipe } from "../workspace/rules/edit-history.ts";
import type { MadeMask } from "./compose.ts";
import type { Instance } from "../workspace/rules/instances.ts";
import type { Kitchen } from "./mask-worker.ts";

/** A mask of an edited object, under a name of its own. */
interface Named extends MadeMask {
  readonly id: string;
}

/** The masks of a work's edited objects, made when they are looked at or exported, each once. */
export class MadeMasks {
  /** By recipe. */
  readonly #made = signal<ReadonlyMap<string, Named>>(new Map());
  readonly #making = new Map<string, Promise<Named>>();
  /** The latest that was made of an object: it is seen until the next one is there. */
  readonly #latest = new Map<string, Named>();
  #kitchen: Promise<Kitchen> | null = null;
  #count = 0;

  /** An edited object as it is seen now. */
  seen({ instance, recipe }: EditedObject): Instance {
    const made =
      recipe === null
        ? undefined
        : (this.#made.value.get(JSON.stringify(recipe)) ?? this.#latest.get(instance.object));
    return made === undefined ? instance : { ...instance, id: made.id, png: made.png };
  }

  /** Makes the mask of an edited object. @param found all objects that its recipe may name @throws Error with a sentence */
  async make(
    { instance, recipe }: EditedObject,
    found: readonly Instance[],
  ): Promise<Instance & { readonly area?: number }> {
    if (recipe === null) return instance;
    const { id, png, area } = await this.#makeOnce(instance.object, recipe, found);
    return { ...instance, id, png, area };
  }

  /** How many connected parts an object's mask has. @throws Error with a sentence */
  async partsOf({ instance, recipe }: EditedObject, found: readonly Instance[]): Promise<number> {
    const of: Recipe = recipe ?? { from: "found", object: instance.object };
    return (await this.#makeOnce(instance.object, of, found)).parts;
  }

  async #makeOnce(object: string, recipe: Recipe, found: readonly Instance[]): Promise<Named> {
    const key = JSON.stringify(recipe);
    const making = this.#making.get(key) ?? this.#make(object, recipe, found, key);
    this.#making.set(key, making);
    return await making;
  }

  async #make(object: string, recipe: Recipe, found: readonly Instance[], key: string): Promise<Named> {
    this.#kitchen ??= import("./mask-worker.ts").then(({ Kitchen: Opened }) => new Opened());
    const kitchen = await this.#kitchen;
    const made = await kitchen.make(recipe, (name) => found.find((each) => each.object === name)?.png);
    const named = { ...made, id: `${object}#${++this.#count}` };
    this.#latest.set(object, named);
    this.#made.value = new Map(this.#made.peek()).set(key, named);
    return named;
  }

  /** Ends the worker. */
  close(): void {
    void this.#kitchen?.then((kitchen) => kitchen.close());
    this.#kitchen = null;
  }
}
