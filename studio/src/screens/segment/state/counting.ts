import { computed, type ReadonlySignal } from "@preact/signals";
import { type Filter, type Instance, isConfident, isShown } from "../../../workspace/rules/instances.ts";
import { type Picture, taskIdOf } from "../../../workspace/rules/picture.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/** State that counts depend on. */
interface Countable {
  readonly workspace: Pick<Workspace, "pictures" | "instances" | "found" | "edits">;
  readonly filter: ReadonlySignal<Filter>;
  objectsIn(key: string): readonly Instance[];
}

/** Counts of objects in pictures, also in those whose masks are not fetched: of these only the confidences are known. */
export class Counting {
  readonly #countable: Countable;

  constructor(countable: Countable) {
    this.#countable = countable;
  }

  /** Pictures whose objects can't be counted without their masks: people have changed some, or prompts have separate thresholds. */
  readonly unknown = computed((): ReadonlySet<string> => {
    const { workspace, filter } = this.#countable;
    const { leasts, hidden, accepted = new Set() } = filter.value;
    const isByPrompt = [...leasts.keys()].some((prompt) => prompt !== null);
    const marked = new Set([...hidden, ...accepted].map((object) => object.split("/")[1]));
    const wanted = workspace.pictures.value.filter((picture) => {
      const taskId = taskIdOf(picture) ?? "";
      const edits = workspace.edits.value.get(picture.key)?.done ?? [];
      const isChanged = marked.has(taskId) || edits.some(({ edit }) => edit.type !== "least");
      const count = workspace.found.value?.confidences.get(taskId)?.length ?? 0;
      return count > 0 && (isByPrompt || isChanged) && !workspace.instances.value.has(picture.key);
    });
    return new Set(wanted.map(({ key }) => key));
  });

  #confidencesIn(picture: Picture): readonly number[] | undefined {
    const taskId = taskIdOf(picture);
    return taskId === null ? undefined : this.#countable.workspace.found.value?.confidences.get(taskId);
  }

  #isConfident(confidence: number): boolean {
    return confidence >= this.#countable.filter.value.least;
  }

  /** Number of objects of a picture, all or those that are shown; null while it is not known. */
  in(picture: Picture, which: "all" | "shown"): number | null {
    const { workspace, filter } = this.#countable;
    if (this.unknown.value.has(picture.key)) return null;
    const isCounted = (each: Instance): boolean => which === "all" || isShown(each, filter.value);
    const there = this.#countable.objectsIn(picture.key).filter(isCounted).length;
    if (workspace.instances.value.has(picture.key)) return there;
    const found = this.#confidencesIn(picture)?.filter((each) => which === "all" || this.#isConfident(each));
    return found === undefined && there === 0 ? null : (found?.length ?? 0) + there;
  }

  /** The lowest confidence of a picture's objects that are shown; null if there are none, or it is not known. */
  leastSureIn(picture: Picture): number | null {
    const { workspace, filter } = this.#countable;
    if (this.unknown.value.has(picture.key)) return null;
    const there = this.#countable
      .objectsIn(picture.key)
      .flatMap((each) => (isShown(each, filter.value) ? [each.confidence] : []));
    const isFetched = workspace.instances.value.has(picture.key);
    const found = isFetched ? [] : (this.#confidencesIn(picture) ?? []);
    const confidences = [...there, ...found.filter((each) => this.#isConfident(each))];
    return confidences.length === 0 ? null : Math.min(...confidences);
  }

  /** Tells of each object that a search has found in some pictures whether its confidence suffices. */
  areConfident(pictures: readonly Picture[]): boolean[] {
    const { workspace, filter } = this.#countable;
    return pictures.flatMap((picture) =>
      workspace.instances.value.has(picture.key)
        ? this.#countable
            .objectsIn(picture.key)
            .flatMap((each) => (each.prompt === null ? [] : [isConfident(each, filter.value)]))
        : (this.#confidencesIn(picture) ?? []).map((each) => this.#isConfident(each)),
    );
  }
}
