import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { coreOf, decodeMask } from "../../../viewer/masks/packed.ts";
import type { Layer, Point, Region, Tool } from "../../../viewer/types.ts";
import type { Instance } from "../../../workspace/rules/instances.ts";
import { model } from "../../../workspace/service/model.ts";
import { numberOf, pointedName } from "../../../workspace/masks/objects.ts";
import { keep, maskToCorrect, point } from "../../../workspace/jobs/point.ts";
import {
  drawnOf,
  lastOf,
  newIn,
  objectFor,
  type Purpose,
  refinedOf,
} from "../../../workspace/rules/pointed-objects.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/** State that refining reads and changes. */
interface Seen {
  readonly workspace: Workspace;
  /** All of its objects, and as a search has found them. */
  readonly instances: ReadonlySignal<readonly Instance[]>;
  readonly searched: ReadonlySignal<readonly Instance[] | null>;
  readonly layers: ReadonlySignal<readonly Layer[]>;
  readonly tool: Signal<Tool>;
}

/** Pointing at objects: at new ones, and at those whose mask is corrected. */
export class Refining {
  /** True if the object is shown before and after its correction. */
  readonly isCompared = signal(false);
  readonly highlightedBefore = signal<string | null>(null);
  /** The object whose mask is corrected, and a pixel in the midst of it. */
  readonly #target = signal<{ readonly object: string; readonly core: Point | null } | null>(null);
  readonly #seen: Seen;

  constructor(seen: Seen) {
    this.#seen = seen;
  }

  /** The object whose mask is corrected by pointing at it, if it is there. */
  readonly target = computed(
    () => this.#seen.instances.value.find(({ object }) => object === this.#target.value?.object) ?? null,
  );

  /** Purpose of a point or a box, unless it begins a new object. */
  readonly #purpose = computed((): Purpose | null => {
    const { value: target } = this.target;
    return target === null
      ? null
      : (numberOf(this.#seen.workspace, target.object) ?? refinedOf(target.object));
  });

  /** The region that a further point is added to. */
  readonly pendingRegions = computed((): readonly Region[] => {
    const { workspace, instances } = this.#seen;
    const key = workspace.openPicture.value?.key;
    const purpose = this.#purpose.value ?? "latest";
    const changed = key === undefined ? undefined : objectFor(workspace.pointed.value, key, purpose);
    const name = changed === undefined ? null : pointedName(workspace, changed);
    const isThere = instances.value.some(({ object }) => object === name);
    const isGone = purpose === "latest" && changed !== undefined && drawnOf(changed) !== null && !isThere;
    const region = changed === undefined || isGone ? null : lastOf(changed).region;
    if (region !== null) return [region];
    const core = this.target.value === null ? null : (this.#target.value?.core ?? null);
    return core === null ? [] : [{ points: [{ ...core, label: 1 }] }];
  });

  /** The object that is corrected as it was at first; null if it never was another. */
  readonly before = computed((): Instance | null => {
    const { workspace, searched } = this.#seen;
    const { value: target } = this.target;
    if (target === null) return null;
    const found = searched.value?.find(({ object }) => object === target.object);
    if (found !== undefined) return found.png === target.png ? null : found;
    const pointed = workspace.pointed.value.find(
      ({ number }) => number === numberOf(workspace, target.object),
    );
    const first = pointed === undefined ? undefined : workspace.drawn.value.get(pointed.attempts[0].number);
    return first === undefined || first.png === target.png
      ? null
      : { ...target, id: first.id, png: first.png };
  });

  /** The picture's layers with that object as it was at first. */
  readonly layersBefore = computed((): readonly Layer[] => {
    const [before, now] = [this.before.value, this.target.value];
    return this.#seen.layers.value.map((layer) =>
      before !== null && layer.id === now?.id
        ? Object.assign({}, layer, { id: before.id, mask: before.png })
        : layer,
    );
  });

  /** Tells whether an object's mask can be corrected by pointing: a job has found it, and the picture is here to point at. */
  canBegin({ object }: Instance): boolean {
    const { box = true, points = true } = model.value?.regions ?? {};
    return (
      refinedOf(object) !== null && (box || points) && this.#seen.workspace.openPicture.value?.file !== null
    );
  }

  /** Finds all objects like one that was pointed at; null if the model can't, or if a search has found the object. */
  findAlike({ object }: Instance): (() => void) | null {
    const { workspace } = this.#seen;
    const number = numberOf(workspace, object);
    const pointed = workspace.pointed.value.find((each) => each.number === number);
    const region = pointed === undefined ? null : lastOf(pointed).region;
    if (number === null || region === null || model.value?.regions.examples !== true) return null;
    return () => void point(workspace, { ...region, findAll: true }, number);
  }

  /** Has points and boxes correct the mask of an object, which a point in its midst stands for at first. */
  async begin({ object, png }: Instance): Promise<void> {
    // At once: a click that comes before the mask is decoded is for this object, not for the one before.
    const begun = { object, core: null };
    this.#target.value = begun;
    const { tool } = this.#seen;
    if (tool.value !== "remove") tool.value = "add";
    const core = coreOf(await decodeMask(png));
    if (this.#target.value === begun) this.#target.value = { object, core };
  }

  /** Points and boxes are for new objects again. */
  end(): void {
    this.#target.value = null;
    this.isCompared.value = false;
  }

  /** A region was pointed at in the open picture. Ends when this browser has drawn it. */
  async point(region: Region, replacesLatest: boolean): Promise<void> {
    await point(this.#seen.workspace, region, this.#purposeOf(replacesLatest));
  }

  /** Keeps the new objects of the open picture. Returns false if there is none. */
  keep(): boolean {
    const { workspace } = this.#seen;
    const key = workspace.openPicture.peek()?.key ?? "";
    if (newIn(workspace.pointed.peek(), key).length === 0) return false;
    keep(workspace, key);
    return true;
  }

  /** The file of the mask that a region would correct; null for none, and undefined if it is not here. */
  priorOf(replacesLatest: boolean): Blob | null | undefined {
    return maskToCorrect(this.#seen.workspace, this.#purposeOf(replacesLatest));
  }

  #purposeOf(replacesLatest: boolean): Purpose {
    return this.#purpose.value ?? (replacesLatest ? "latest" : "new");
  }
}
