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
      const count = this.#foundIn(picture)?.length ?? 0;
      return count > 0 && (isByPrompt || isChanged) && !workspace.instances.value.has(picture.key);
    });
    return new Set(wanted.map(({ key }) => key));
  });

  /** The confidences that a search has found in a picture; undefined of one without results. */
  #foundIn(picture: Picture): readonly number[] | undefined {
    const taskId = taskIdOf(picture);
    return taskId === null ? undefined : this.#countable.workspace.found.value?.confidences.get(taskId);
  }

  #isConfident(confidence: number): boolean {
    return confidence >= this.#countable.filter.value.least;
  }

  /** The confidences of a picture's objects, of all or of those that are shown; null while they are not known. */
  #confidencesIn(picture: Picture, which: "all" | "shown"): readonly number[] | null {
    const { workspace, filter } = this.#countable;
    if (this.unknown.value.has(picture.key)) return null;
    const there = this.#countable
      .objectsIn(picture.key)
      .filter((each) => which === "all" || isShown(each, filter.value))
      .map(({ confidence }) => confidence);
    if (workspace.instances.value.has(picture.key)) return there;
    const found = this.#foundIn(picture);
    if (found === undefined && there.length === 0) return null;
    return [...there, ...(found ?? []).filter((each) => which === "all" || this.#isConfident(each))];
  }

  /** Number of objects of a picture, all or those that are shown; null while it is not known. */
  in(picture: Picture, which: "all" | "shown"): number | null {
    return this.#confidencesIn(picture, which)?.length ?? null;
  }

  /** The lowest confidence of a picture's objects that are shown; null if there are none, or it is not known. */
  leastSureIn(picture: Picture): number | null {
    const confidences = this.#confidencesIn(picture, "shown") ?? [];
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
        : (this.#foundIn(picture) ?? []).map((each) => this.#isConfident(each)),
    );
  }
}
