import { computed, signal } from "@preact/signals";
import type { ExportMask } from "../../export/types.ts";
import type { GalleryMask } from "../../gallery/items.ts";
import { maskColour, objectColour, USUAL_OPACITY } from "../../viewer/colours.ts";
import type { Colour, Layer, Tool } from "../../viewer/types.ts";
import { grouped, type Instance, isShown, lowestOf, nameOf, toggled } from "../../work/instances.ts";
import { fetchMasks } from "../../work/fetch-masks.ts";
import { drawnOf, lastOf, type PointedObject } from "../../work/pointed.ts";
import type { Work } from "../../work/work.ts";

/** Objects that were pointed at begin at the other end of the palette than the prompts. */
const LAST_COLOUR = 9;

/** How a work is looked at: what is shown of the open picture, how strongly, and what is pointed at. */
export class Look {
  readonly opacity = signal(USUAL_OPACITY);
  readonly least = signal(0);
  readonly hidden = signal<ReadonlySet<string>>(new Set());
  /** The instance that stands out, in the picture and in the list. */
  readonly highlighted = signal<string | null>(null);
  readonly tool = signal<Tool>("point");
  readonly work: Work;

  constructor(work: Work) {
    this.work = work;
  }

  /** What was found in the open picture; null while that is not known. */
  readonly searched = computed(() => {
    const key = this.work.openPicture.value?.key;
    return key === undefined ? null : (this.work.instances.value.get(key) ?? null);
  });

  /** All instances of the open picture, with those that were pointed at. */
  readonly instances = computed((): readonly Instance[] => {
    const key = this.work.openPicture.value?.key;
    return key === undefined ? [] : this.withPointed(key, this.searched.value ?? []);
  });

  readonly groups = computed(() => grouped(this.instances.value, this.work.found.value?.prompts ?? []));
  readonly filter = computed(() => ({ least: this.least.value, hidden: this.hidden.value }));
  /** How low the slider of confidences goes: there the job's masks begin, in whichever picture. */
  readonly lowest = computed(() => lowestOf(this.work.found.value?.confidences ?? []));

  readonly layers = computed((): readonly Layer[] =>
    this.groups.value.flatMap(({ instances }) =>
      instances.map((instance) => ({
        id: instance.id,
        mask: instance.png,
        colour: this.colour(instance),
        visible: isShown(instance, this.filter.value),
        label: nameOf(instance),
      })),
    ),
  );

  /** The region that a further point is added to. */
  readonly drafts = computed(() => {
    const key = this.work.openPicture.value?.key;
    const latest = this.work.pointed.value.findLast(({ picture }) => picture === key);
    const region = latest === undefined ? null : lastOf(latest).region;
    return region === null ? [] : [region];
  });

  /** What was found in a picture, and then what was pointed at in it. */
  withPointed(key: string, found: readonly Instance[]): readonly Instance[] {
    const already = found.filter(({ prompt }) => prompt === null).length;
    const pointed = this.work.pointed.value.flatMap((object) => {
      const attempt = drawnOf(object);
      const instance = attempt === null ? undefined : this.work.drawn.value.get(attempt.number);
      return object.picture !== key || instance === undefined
        ? []
        : [{ ...instance, number: already + object.number }];
    });
    return [...found, ...pointed];
  }

  /** An instance's colour: the same wherever it is seen. */
  colour({ prompt, number }: Instance): Colour {
    if (prompt === null) return maskColour(LAST_COLOUR - ((number - 1) % (LAST_COLOUR + 1)));
    const prompts = this.work.found.value?.prompts ?? [];
    return objectColour(prompts.length, Math.max(0, prompts.indexOf(prompt)), number - 1);
  }

  /** The object that was pointed at whose mask an instance is. */
  objectOf({ id }: Instance): PointedObject | null {
    const isIts = (object: PointedObject): boolean => {
      const attempt = drawnOf(object);
      return attempt !== null && this.work.drawn.value.get(attempt.number)?.id === id;
    };
    return this.work.pointed.value.find(isIts) ?? null;
  }

  /** Hides instances, or shows them. */
  toggle(instances: readonly Instance[]): void {
    this.hidden.value = toggled(
      this.hidden.value,
      instances.map(({ id }) => id),
    );
  }

  /** Fetches the masks of a picture, as they are seen: with their colours, and whether they are shown. @throws SegmentationError */
  async masksOf(key: string): Promise<(GalleryMask & ExportMask)[]> {
    return this.withPointed(key, await fetchMasks(this.work, key)).map((instance) => ({
      png: instance.png,
      rgb: this.colour(instance).rgb,
      prompt: instance.prompt,
      title: nameOf(instance).toLowerCase().replaceAll(" ", "-"),
      confidence: instance.confidence,
      isShown: isShown(instance, this.filter.value),
    }));
  }
}
