import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { CompareAnswer, CompareRequest } from "../../../compare/compare.worker.ts";
import type { Difference, Differences } from "../../../compare/differences.ts";
import { counted } from "../../../text/format.ts";
import type { Colour } from "../../../viewer/types.ts";
import type { View } from "../../../viewer/view/view.ts";
import type { Instance } from "../../../workspace/rules/instances.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/** The color of objects that both searches found. */
const SAME: Colour = { css: "rgb(140 140 140)", rgb: [140, 140, 140] };

/** Two searches of a picture side by side: the one that is seen, and another one as it was found. */
export class Comparing {
  /** The objects of the other search in the open picture; null until they are there. */
  readonly others = signal<readonly Instance[] | null>(null);
  /** Difference of each object from those of the other search, by the name of its mask; null until it is known. */
  readonly differences = signal<Differences | null>(null);
  /** The mask of the other search that stands out. */
  readonly highlighted = signal<string | null>(null);
  /** From where both are seen. */
  readonly view = signal<View | null>(null);
  /** Error of the comparison. */
  readonly error = signal<unknown>(null);
  readonly #jobId = signal<string | null>(null);
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** The other search; null if none is compared. */
  readonly search = computed(() => {
    const { searches, shownIds } = this.#workspace;
    const { value: jobId } = this.#jobId;
    return jobId === null || shownIds.value.includes(jobId)
      ? null
      : (searches.value.find((each) => each.jobId === jobId) ?? null);
  });

  /** Compares with a search; with the same once more no longer. */
  toggle(jobId: string): void {
    this.#jobId.value = this.search.value?.jobId === jobId ? null : jobId;
    this.others.value = null;
    this.differences.value = null;
    this.error.value = null;
  }

  /** Returns the difference of an object from those of the other search, if they are compared. */
  of({ id }: Pick<Instance, "id">): Difference | null {
    return this.search.value === null ? null : (this.differences.value?.get(id) ?? null);
  }

  /** The color of an object: gray if both searches found it. */
  colour(instance: Instance, usual: Colour): Colour {
    return this.of(instance) === "same" ? SAME : usual;
  }

  /** The differences in a sentence. @param seen the objects of the search that is seen */
  inWords(seen: ReadonlySignal<readonly Instance[]>): string {
    const { value: others } = this.others;
    if (others === null || this.differences.value === null) return "Comparing…";
    const count = (instances: readonly Instance[], what: Difference): number =>
      instances.filter((instance) => this.of(instance) === what).length;
    const ours = count(seen.value, "only");
    const [theirs, changed, same] = [count(others, "only"), count(others, "changed"), count(others, "same")];
    return `${counted(ours, "object")} only in this search, ${theirs} only in the other, ${changed} with another outline, ${same} the same.`;
  }
}

/** Compares masks in a worker. @throws Error with a sentence if one can't be read, or the signal's reason */
export async function compared(request: CompareRequest, aborted: AbortSignal): Promise<Differences> {
  const worker = new Worker(new URL("../../../compare/compare.worker.ts", import.meta.url), {
    type: "module",
  });
  try {
    const answer = await new Promise<CompareAnswer>((resolve, reject) => {
      aborted.addEventListener("abort", () => reject(aborted.reason));
      worker.addEventListener("error", () => resolve(null));
      worker.addEventListener("message", ({ data }: MessageEvent<CompareAnswer>) => resolve(data));
      worker.postMessage(request, []);
    });
    if (answer === null) throw new Error("A mask can’t be read. Reload the page to fetch it again.");
    return answer;
  } finally {
    worker.terminate();
  }
}
