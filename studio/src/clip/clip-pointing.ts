import { batch, computed, type Signal, signal } from "@preact/signals";
import { LIMITS, type MasksJson } from "segmentation-client";
import { coreOf, decodeMask } from "../viewer/masks/packed.ts";
import type { RegionPoint } from "@segmentation/masks";
import type { PointingTool, Region } from "../viewer/types.ts";
import {
  type ClipRegion,
  nextObjectId,
  objectIdsIn,
  withName,
  withoutObject,
  withRegion,
} from "../workspace/rules/clip-regions.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type Playback, WITHIN_SEC } from "./playback.ts";
import { shownAt } from "./time.ts";

/** Pointing at objects of a video, in the frames that a job processes. Nothing is sent before a person requests a job. */
export class ClipPointing {
  readonly tool = signal<"pan" | PointingTool>("pan");
  /** The object that further points are of. */
  readonly target = signal<number | null>(null);
  /** Why a click came to nothing, in a sentence. */
  readonly complaint = signal<string | null>(null);
  /** The workspace's regions before each change of this page. */
  readonly #past = signal<readonly (readonly ClipRegion[])[]>([]);
  /** The regions that undo took away, the latest last. */
  readonly #undone = signal<readonly (readonly ClipRegion[])[]>([]);
  readonly canRedo = computed(() => this.#undone.value.length > 0);
  readonly canUndo = computed(() => this.#past.value.length > 0);
  readonly #workspace: Pick<Workspace, "regions">;
  readonly #playback: Playback;

  constructor(workspace: Pick<Workspace, "regions">, playback: Playback) {
    this.#workspace = workspace;
    this.#playback = playback;
  }

  /** The workspace's regions in the frame that is shown. */
  readonly here = computed(() => {
    const { times, shown } = this.#playback;
    return this.#workspace.regions.value.filter(
      ({ timeSeconds }) => shownAt(times.value, timeSeconds) === shown.value,
    );
  });

  /** The regions of the frame that is shown, at last the one to which further points are added: it may have none yet. */
  readonly pendingRegions = computed((): readonly Region[] => {
    const { value: here } = this.here;
    const own = here.find(({ objectId, region }) => objectId === this.target.value && "points" in region);
    const others = here.filter((region) => region !== own).map(({ region }) => region);
    return [...others, own?.region ?? { points: [] }];
  });

  /** Chooses a tool. The video pauses while a person points. */
  choose(tool: "pan" | PointingTool): void {
    this.tool.value = tool;
    this.complaint.value = null;
    if (tool !== "pan") this.#playback.settle();
  }

  /** Has further points and boxes correct an object, in whichever frame. */
  correct(objectId: number): void {
    this.target.value = objectId;
    this.choose("add");
  }

  /**
   * A region was pointed at in the frame that is shown: a new object, or a correction of the active one.
   * @param masks what a job has found, if it has
   */
  async point(region: Region, isFurther: boolean, masks: MasksJson | null): Promise<void> {
    const { times, shown, isPlaying } = this.#playback;
    // The object under the pointer has moved on by now.
    if (isPlaying.value) return this.#playback.settle();
    const regions = this.#workspace.regions.value;
    const { value: target } = this.target;
    const isCorrection = target !== null && (isFurther || this.tool.value !== "point");
    const objectId = isCorrection ? target : nextObjectId(regions);
    if (!isCorrection && objectIdsIn(regions).length >= LIMITS.followedObjects)
      return this.#refuse(`A job tracks at most ${LIMITS.followedObjects} objects. Remove one first.`);
    if (regions.length >= LIMITS.regions)
      return this.#refuse(`A job takes at most ${LIMITS.regions} points and boxes. Remove an object first.`);
    // A job's frames have other times than the browser guessed before it: the frame on the screen counts.
    const there = this.here.value.find((other) => other.objectId === objectId);
    const { [shown.value]: time = 0 } = times.value;
    const timeSeconds = there?.timeSeconds ?? (masks === null && shown.value > 0 ? time + WITHIN_SEC : time);
    const whole = await wholeRegion(region, masks?.frames[shown.value], objectId);
    if (whole === null)
      return this.#refuse("Click the object itself in this frame first, then what doesn’t belong to it.");
    batch(() => {
      this.#change(withRegion(regions, { objectId, timeSeconds, region: whole }));
      this.target.value = objectId;
      if (!isCorrection) this.tool.value = "point";
    });
  }

  rename(objectId: number, label: string): void {
    this.#change(withName(this.#workspace.regions.value, objectId, label));
  }

  remove(objectId: number): void {
    this.#change(withoutObject(this.#workspace.regions.value, objectId));
  }

  /** Takes back the latest change. */
  undo(): void {
    this.#go(this.#past, this.#undone);
  }

  /** Redoes the last undone step. */
  redo(): void {
    this.#go(this.#undone, this.#past);
  }

  #go(from: Signal<readonly (readonly ClipRegion[])[]>, to: typeof from): void {
    const regions = from.value.at(-1);
    if (regions === undefined) return;
    batch(() => {
      to.value = [...to.value, this.#workspace.regions.value];
      from.value = from.value.slice(0, -1);
      this.#put(regions);
    });
  }

  #change(regions: readonly ClipRegion[]): void {
    batch(() => {
      this.complaint.value = null;
      this.#past.value = [...this.#past.value, this.#workspace.regions.value];
      this.#undone.value = [];
      this.#put(regions);
    });
  }

  #put(regions: readonly ClipRegion[]): void {
    this.#workspace.regions.value = regions;
    if (!objectIdsIn(regions).includes(this.target.value ?? 0)) this.target.value = null;
  }

  #refuse(complaint: string): void {
    this.complaint.value = complaint;
  }
}

/**
 * A region that has a point on the object: one that has only points outside gets one in the middle of the object's mask. Null if there is
 * no mask in this frame.
 */
async function wholeRegion(
  region: Region,
  frame: MasksJson["frames"][number] | undefined,
  objectId: number,
): Promise<Region | null> {
  if (!("points" in region) || region.points.some(({ label }) => label === 1)) return region;
  const mask = frame?.objects.find((object) => object.objectId === objectId)?.rle;
  const core = mask === undefined ? null : coreOf(await decodeMask(mask));
  const on: RegionPoint | null = core && { ...core, label: 1 };
  return on && { points: [on, ...region.points] };
}
