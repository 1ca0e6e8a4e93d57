import { computed, effect, signal } from "@preact/signals";
import {
  edited,
  type EditedObject,
  leastsOf,
  namesGiven,
  NO_EDITS,
} from "../../../workspace/rules/edit-history.ts";
import { edit, remove } from "../../../edit/edit.ts";
import { EditedMasks } from "../../../edit/edited-masks.ts";
import type { ExportMask } from "../../../export/types.ts";
import { EVERYTHING, type Filter, filtered } from "../../../gallery/filter.ts";
import type { GalleryMask } from "../../../gallery/items.ts";
import { USUAL_OPACITY } from "../../../viewer/colours.ts";
import { type Colour, type Layer, type Tool } from "../../../viewer/types.ts";
import {
  grouped,
  type Instance,
  isShown,
  lowestOf,
  nameOf,
  toggled,
} from "../../../workspace/rules/instances.ts";
import { labelNew } from "../../../workspace/jobs/point.ts";
import { fetchMasks } from "../../../workspace/masks/fetch-masks.ts";
import { isNew, objectsOf, pointedFirst } from "../../../workspace/masks/objects.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import { ClassList } from "./class-list.ts";
import { coloursOf } from "./colouring.ts";
import { Comparing } from "./comparing.ts";
import { Counting } from "./counting.ts";
import { Painting } from "./painting.ts";
import { Previewing } from "./previewing.ts";
import { Refining } from "./refining.ts";
import { Selecting } from "./selecting.ts";

/** View state of a workspace: the visible parts of the open picture, their opacity, and the tool. */
export class ViewState {
  readonly opacity = signal(USUAL_OPACITY);
  /** True if objects have their names on the picture. */
  readonly hasNames = signal(false);
  /** Colors by object, or shades of one color by label; null for the job's default. */
  readonly colouring = signal<"object" | "label" | null>(null);
  readonly #leasts = computed(() => leastsOf(this.workspace.edits.value.values()));
  /** The least confidence of shown objects, unless their prompt has a separate one. */
  readonly least = computed(() => this.#leasts.value.get(null) ?? 0);
  /** The mask that stands out, in the picture and in the list. */
  readonly highlighted = signal<string | null>(null);
  readonly tool = signal<Tool>("point");
  /** Filter of a batch's pictures. */
  readonly gallery = signal<Filter>(EVERYTHING);
  /** Sentence about an action on an object that failed. */
  readonly complaint = signal<string | null>(null);
  readonly workspace: Workspace;
  /** The hidden objects. */
  readonly hidden: Workspace["hidden"];
  readonly #masks = new EditedMasks();

  /** Comparison with another search of the same pictures. */
  readonly comparing: Comparing;

  constructor(workspace: Workspace) {
    this.workspace = workspace;
    this.hidden = workspace.hidden;
    this.comparing = new Comparing(workspace);
  }

  /** Composes masks of edited objects as they come into view. Returns what ends it. */
  attach(): () => void {
    const dispose = effect(() => {
      const found = this.#found.value;
      for (const object of this.#edited.value) void this.#masks.make(object, found).catch(() => undefined);
    });
    return () => {
      dispose();
      this.#masks.close();
    };
  }

  /** Objects that the search found in the open picture; null while they are not known. */
  readonly searched = computed(() => {
    const key = this.workspace.openPicture.value?.key;
    return key === undefined ? null : (this.workspace.instances.value.get(key) ?? null);
  });

  readonly #found = computed((): readonly Instance[] => {
    const key = this.workspace.openPicture.value?.key;
    return key === undefined ? [] : objectsOf(this.workspace, key, this.searched.value ?? []);
  });

  readonly #edited = computed(() =>
    this.#editedIn(this.workspace.openPicture.value?.key ?? "", this.#found.value),
  );

  /** All objects of the open picture, with those that were pointed at, after a person's edits. */
  readonly instances = computed(() => this.#edited.value.map((object) => this.#masks.seen(object)));

  readonly groups = computed(() => grouped(this.instances.value, this.workspace.found.value?.prompts ?? []));
  readonly filter = computed(() => ({
    least: this.least.value,
    leasts: this.#leasts.value,
    hidden: this.hidden.value,
    accepted: this.workspace.acceptedObjects.value,
  }));
  /** Lower end of the confidence slider: the lowest confidence of the job's masks, over all pictures. */
  readonly lowest = computed(() =>
    lowestOf([...(this.workspace.found.value?.confidences.values() ?? [])].flat()),
  );

  readonly layers = computed((): readonly Layer[] =>
    this.groups.value.flatMap(({ instances }) =>
      instances.map((instance) => ({
        id: instance.id,
        mask: instance.png,
        colour: this.comparing.colour(instance, this.colour(instance)),
        visible: isShown(instance, this.filter.value),
        label: nameOf(instance),
      })),
    ),
  );

  readonly isByObject = computed(() =>
    this.colouring.value === null
      ? (this.workspace.found.value?.prompts.length ?? 0) < 2
      : this.colouring.value === "object",
  );

  /** Pointing at objects. */
  readonly refining = new Refining(this);

  /** The mask of a click at the pointer. */
  readonly previewing = new Previewing(this);

  /** Brush and eraser. */
  readonly painting = new Painting(this);

  readonly selecting = new Selecting({
    listed: computed(() =>
      this.groups.value.flatMap(({ instances }) => instances.filter((each) => !isNew(each))),
    ),
    clicked: this.painting.target,
    unclick: () => (this.painting.selected.value = null),
  });

  readonly classes = new ClassList(this);

  /** Gives the selected objects a class, or else the next one that is pointed at; the same class once more takes it back. */
  useClass(name: string): void {
    const objects = this.selecting.objects.peek();
    const { activeClass } = this.workspace;
    if (objects.length > 0) this.nameObjects(undefined, objects, name);
    else activeClass.value = activeClass.peek() === name ? null : name;
  }

  /** The objects of a picture as far as they are known, after a person's edits. */
  objectsIn(key: string): readonly Instance[] {
    const found = objectsOf(this.workspace, key, this.workspace.instances.value.get(key) ?? []);
    return this.#editedIn(key, found).map((object) => this.#masks.seen(object));
  }

  readonly counting = new Counting(this);

  /** Accepts objects, so that no threshold hides them; if all of them are accepted, no longer. */
  accept(objects: readonly string[]): void {
    const { acceptedObjects } = this.workspace;
    acceptedObjects.value = toggled(acceptedObjects.value, objects);
  }

  /** The labels of a picture's objects that are shown; null while they are not known. */
  labelsIn(key: string): readonly (string | null)[] | null {
    if (!this.workspace.instances.value.has(key)) return null;
    return this.objectsIn(key).flatMap((each) => (isShown(each, this.filter.value) ? [each.label] : []));
  }

  /** The pictures that a review goes through: those that succeeded, and that the gallery's filter lets through. */
  readonly reviewed = computed((): readonly string[] => {
    const done = this.workspace.pictures.value.filter((picture) => this.workspace.isDone(picture));
    const items = done.map((picture) => ({
      key: picture.key,
      state: "done" as const,
      count: this.counting.in(picture, "shown"),
      labels: this.labelsIn(picture.key),
      verdict: this.workspace.verdicts.value.get(picture.key) ?? null,
      leastSure: this.counting.leastSureIn(picture),
    }));
    return filtered(items, this.gallery.value).map(({ key }) => key);
  });

  #editedIn(key: string, found: readonly Instance[]): readonly EditedObject[] {
    return edited(found, this.workspace.edits.value.get(key) ?? NO_EDITS);
  }

  /** Labels of objects: the job's prompts, and the names that people gave. */
  readonly labels = computed((): readonly string[] => [
    ...new Set([
      ...(this.workspace.found.value?.prompts ?? []),
      ...namesGiven(this.workspace.edits.value.values()),
    ]),
  ]);

  /** The color of an object of the open picture. */
  colour(instance: Instance): Colour {
    return this.#colours.value(instance);
  }

  readonly #colours = computed(() => this.#coloursIn(this.workspace.openPicture.value?.key ?? ""));

  /** The colors of a picture's objects: the same wherever they are seen. */
  #coloursIn(key: string): (instance: Instance) => Colour {
    const { instances, edits } = this.workspace;
    const found = instances.value.get(key) ?? [];
    return coloursOf({
      found,
      pointed: pointedFirst(this.workspace, key, found),
      edits: edits.value.get(key) ?? NO_EDITS,
      labels: this.labels.value,
      prompts: this.workspace.found.value?.prompts.length ?? 0,
      isByObject: this.isByObject.value,
    });
  }

  /** Sets the least confidence of a prompt's shown objects; null for all prompts without a separate one. */
  showFrom(prompt: string | null, least: number): void {
    edit(this.workspace, { type: "least", prompt, least, at: Date.now() });
  }

  /** Gives objects of a picture a name. One that differs from a known class by case or spaces alone becomes that class. */
  nameObjects(key: string | undefined, objects: readonly string[], name: string): void {
    const label = this.classes.take(name);
    for (const object of labelNew(this.workspace, objects, label))
      edit(this.workspace, { type: "rename", object, label }, key);
  }

  /** Hides objects, or shows them. */
  toggle(instances: readonly Instance[]): void {
    this.hidden.value = toggled(
      this.hidden.value,
      instances.map(({ object }) => object),
    );
  }

  /** Has brush and eraser change an object. */
  select(instance: Instance): void {
    this.refining.end();
    this.painting.begin(instance);
  }

  /** Selects the object of a mask that is clicked, or no longer. Returns false if clicks correct another object. */
  selectMask(mask: string): boolean {
    const instance = this.instances.value.find(({ id }) => id === mask);
    if (instance === undefined || this.refining.target.value !== null) return false;
    const isSelected = this.painting.selected.value === instance.object;
    this.selecting.clear();
    if (!isSelected) this.painting.selected.value = instance.object;
    this.complaint.value = null;
    return true;
  }

  /** Deletes the selected objects. Returns false if there is none. */
  deleteSelected(): boolean {
    const [first, ...others] = this.selecting.instances.peek();
    if (first === undefined) return false;
    for (const instance of [first, ...others]) remove(this.workspace, instance);
    this.selecting.clear();
    this.complaint.value =
      others.length === 0
        ? `Deleted ${nameOf(first)}.${isNew(first) ? "" : " Undo brings it back."}`
        : `Deleted ${others.length + 1} objects. Undo brings them back, one after the other.`;
    return true;
  }

  /** Has points and boxes correct the mask of an object. */
  refine(instance: Instance): void {
    this.painting.selected.value = null;
    void this.refining.begin(instance);
  }

  /** Has points and boxes begin new objects again. */
  stopRefining(): void {
    this.refining.end();
    this.tool.value = "point";
  }

  /** Makes the connected parts of an object's mask separate objects. */
  async split({ object, label, number }: Instance): Promise<void> {
    const of = this.#edited.value.find(({ instance }) => instance.object === object);
    if (of === undefined) return;
    const parts = await this.#masks.partsOf(of, this.#found.value);
    if (parts < 2) {
      this.complaint.value = `${nameOf({ ...of.instance, label, number })} is in one piece. Erase a line through it first.`;
      return;
    }
    this.complaint.value = null;
    const others = Array.from({ length: parts - 1 }, () => `${object}~${crypto.randomUUID().slice(0, 8)}`);
    edit(this.workspace, { type: "split", object, others });
  }

  /** Fetches the masks of a picture, as they are seen: with their colors, and whether they are shown. @throws SegmentationError */
  async masksOf(key: string): Promise<(GalleryMask & ExportMask)[]> {
    const found = objectsOf(this.workspace, key, await fetchMasks(this.workspace, key));
    const made = await Promise.all(
      this.#editedIn(key, found).map(async (object) => await this.#masks.make(object, found)),
    );
    const colour = this.#coloursIn(key);
    return made.flatMap((instance) =>
      // An object that was erased completely has nothing to show or export.
      instance.area === 0
        ? []
        : [
            {
              object: instance.object,
              png: instance.png,
              rgb: colour(instance).rgb,
              label: instance.label,
              title: nameOf(instance).toLowerCase().replaceAll(" ", "-"),
              confidence: instance.confidence,
              isShown: isShown(instance, this.filter.value),
            },
          ],
    );
  }
}
