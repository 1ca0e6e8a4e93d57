import { batch, effect, type ReadonlySignal, untracked } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import { MaskWorker } from "../compose/mask-worker.ts";
import { isOnline } from "../../state/online.ts";
import { isExpired } from "../../state/session.ts";
import { fetchMasks } from "../masks/fetch-masks.ts";
import { objectsOf } from "../masks/objects.ts";
import { changesOf } from "../rules/edit-history.ts";
import { taskIdOf } from "../rules/picture.ts";
import type { Workspace } from "../workspace.ts";
import { type Fields, fieldsOf, NO_ANNOTATIONS } from "./fields.ts";
import { type AnnotationState, fieldsOfState, recipeOf, withFields } from "./state.ts";
import { type AnnotationService, AnnotationSync, baseFor, type Copy } from "./sync.ts";

/** Pause after the last change before it is saved. */
const PAUSE_MS = 1_000;
/** Pause between requests for the changes of others. */
const POLL_MS = 5_000;

interface KeepOptions {
  /** Aborted when it is to end. */
  readonly signal: AbortSignal;
  /** Tells whether a person may see changes of others. */
  readonly isOnScreen: () => boolean;
}

/** Keeps the annotations of an entry in step with the service, until the signal is aborted or the job is gone. */
export function keepWithService(
  workspace: Workspace,
  jobId: string,
  { signal, isOnScreen }: KeepOptions,
): AnnotationSync {
  const gone = new AbortController();
  const over = AbortSignal.any([signal, gone.signal]);
  const shapes = new Shapes(workspace);
  const sync = new AnnotationSync(copyOf(workspace, jobId, shapes), serviceOf(workspace, jobId));
  let pause: ReturnType<typeof setTimeout> | undefined;
  const disposals = [
    effect(() => {
      const { value: state } = sync.state;
      const isLossless = state.at === "gone" || (state.at === "failed" && !state.hasChanges);
      workspace.keeping.value = isLossless ? { at: "saved" } : state;
      if (state.at === "gone") queueMicrotask(() => gone.abort());
    }),
    effect(() => {
      stateOf(workspace);
      untracked(() => sync.note());
      clearTimeout(pause);
      pause = setTimeout(() => void sync.save(), PAUSE_MS);
    }),
    effect(() => {
      if (isOnline.value && !isExpired.value) void untracked(() => sync.sync());
    }),
  ];
  const flush = (): void => {
    if (sync.hasChanges()) void sync.save();
  };
  const look = (): void => {
    if (document.visibilityState === "hidden") flush();
    else if (isOnScreen()) void sync.sync();
  };
  document.addEventListener("visibilitychange", look, { signal: over });
  addEventListener("pagehide", flush, { signal: over });
  const poll = setInterval(() => {
    const isPossible = document.visibilityState === "visible" && isOnline.peek() && !isExpired.peek();
    const isWanted = isOnScreen() || sync.state.peek().at === "failed";
    if (isPossible && isWanted) void sync.sync();
  }, POLL_MS);
  over.addEventListener("abort", () => {
    for (const dispose of disposals) dispose();
    clearTimeout(pause);
    clearInterval(poll);
    shapes.close();
  });
  return sync;
}

/** Applies the annotations of a job once, and keeps nothing in step. @throws SegmentationError */
export async function showAnnotations(workspace: Workspace, jobId: string): Promise<void> {
  const { document } = await serviceOf(workspace, jobId).load();
  const state = untracked(() => stateOf(workspace));
  put(workspace, withFields(state, fieldsOf(NO_ANNOTATIONS), fieldsOf(document), Date.now()));
}

/** The service's side of a job's annotations. */
const serviceOf = ({ owner }: Workspace, jobId: string): AnnotationService => ({
  load: async () =>
    await owner.api.retrieveJobAnnotations({ jobId }, { signal: owner.signal, maxRetries: 0 }),
  save: async (document, version) => {
    try {
      const headers = { "If-Match": `"${version}"` };
      const options = { signal: owner.signal, headers, maxRetries: 0 };
      return (await owner.api.replaceJobAnnotations({ jobId, document }, options)).version;
    } catch (error) {
      if (error instanceof SegmentationError && error.status === 412) return null;
      throw error;
    }
  },
});

const copyOf = (workspace: Workspace, jobId: string, shapes: Shapes): Copy => ({
  get base() {
    return baseFor(workspace.base.peek(), jobId, tasksOf(workspace));
  },
  set base(base) {
    workspace.base.value = base && { ...base, jobId, tasks: tasksOf(workspace) };
  },
  read: (base) => untracked(() => fieldsOfState(stateOf(workspace), base, shapes.known)),
  change: (from, to) =>
    put(
      workspace,
      withFields(
        untracked(() => stateOf(workspace)),
        from,
        to,
        Date.now(),
      ),
    ),
  prepare: (base) => shapes.prepare(base),
  prompts: () => workspace.searches.peek().flatMap(({ prompts }) => prompts),
});

type ByTask<T> = ReadonlyMap<string, T>;

/** The work on the pictures of the first job, which are those of its searches, or the ones that were pointed at. */
function stateOf(workspace: Workspace): AnnotationState {
  const first = workspace.firstJob.value;
  const isOfAll = workspace.searches.value.some(({ jobId }) => jobId === first);
  const isOfFirst = (key: string): boolean =>
    isOfAll ||
    workspace.pointed.value.some(
      ({ picture, attempts }) =>
        picture === key &&
        attempts.some(({ jobId, continues }) => first !== null && (jobId === first || continues === first)),
    );
  const tasks = workspace.pictures.value.flatMap((picture) => {
    const taskId = taskIdOf(picture);
    return taskId === null || !isOfFirst(picture.key) ? [] : [{ ...picture, taskId }];
  });
  const byTask = <T>(signal: ReadonlySignal<ReadonlyMap<string, T>>): ByTask<T> =>
    new Map(
      tasks.flatMap(({ key, taskId }) => {
        const value = signal.value.get(key);
        return value === undefined ? [] : [[taskId, value] as const];
      }),
    );
  return {
    fileNames: new Map(tasks.map(({ taskId, name }) => [taskId, name])),
    verdicts: byTask(workspace.verdicts),
    notes: byTask(workspace.notes),
    histories: byTask(workspace.edits),
    hidden: workspace.hidden.value,
    accepted: workspace.acceptedObjects.value,
    searches: workspace.searches.value.flatMap(({ jobId }) => (jobId === first ? [] : [jobId])),
    classes: workspace.classes.value,
  };
}

const tasksOf = (workspace: Workspace): string[] => [...untracked(() => stateOf(workspace)).fileNames.keys()];

/** Applies others' changes to the workspace. */
function put(
  workspace: Workspace,
  { fileNames, verdicts, notes, histories, hidden, accepted, classes }: AnnotationState,
): void {
  const byKey = <T>(before: ReadonlyMap<string, T>, values: ByTask<T>): ReadonlyMap<string, T> => {
    const changed = new Map(before);
    for (const picture of workspace.pictures.peek()) {
      const taskId = taskIdOf(picture) ?? "";
      const value = values.get(taskId);
      if (value !== undefined) changed.set(picture.key, value);
      else if (fileNames.has(taskId)) changed.delete(picture.key);
    }
    return changed;
  };
  batch(() => {
    workspace.verdicts.value = byKey(workspace.verdicts.peek(), verdicts);
    workspace.edits.value = byKey(workspace.edits.peek(), histories);
    workspace.notes.value = byKey(workspace.notes.peek(), notes);
    workspace.hidden.value = hidden;
    workspace.acceptedObjects.value = accepted;
    workspace.classes.value = classes;
    for (const { key, name, ...picture } of workspace.pictures.peek()) {
      const known = fileNames.get(taskIdOf({ key, name, ...picture }) ?? "");
      if (known !== undefined && known !== name) workspace.change(key, { name: known });
    }
  });
}

/** Masks of edited objects, composed once each. */
class Shapes {
  readonly known = new Map<string, { readonly size: readonly number[]; readonly counts: string }>();
  readonly #workspace: Workspace;
  #worker: MaskWorker | null = null;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Composes the masks that the document lacks. One whose parts can't be had is saved by its recipe alone. */
  async prepare(base: Fields): Promise<void> {
    const saved = new Set([...base.values()].flatMap((value) => recipeIn(value)));
    for (const { key } of this.#workspace.pictures.peek()) {
      const history = this.#workspace.edits.peek().get(key);
      for (const { composition } of history === undefined ? [] : changesOf(history).values()) {
        if (composition === undefined || composition.from === "drawn") continue;
        const recipe = recipeOf(composition);
        if (saved.has(recipe) || this.known.has(recipe)) continue;
        try {
          const found = objectsOf(this.#workspace, key, await fetchMasks(this.#workspace, key));
          this.#worker ??= new MaskWorker();
          const { rle } = await this.#worker.make(
            composition,
            (object) => found.find((each) => each.object === object)?.png,
          );
          this.known.set(recipe, rle);
        } catch {
          continue;
        }
      }
    }
  }

  close(): void {
    this.#worker?.close();
  }
}

function recipeIn(value: string): string[] {
  const field: unknown = JSON.parse(value);
  const isShape = typeof field === "object" && field !== null && "recipe" in field && "mask" in field;
  return isShape && typeof field.recipe === "string" ? [field.recipe] : [];
}
