import type { SegmentationError } from "segmentation-client";
import { type AnnotationsDocument, NO_ANNOTATIONS } from "../../../src/workspace/annotations/fields.ts";
import { type AnnotationState, fieldsOfState, withFields } from "../../../src/workspace/annotations/state.ts";
import {
  AnnotationSync,
  baseFor,
  type Copy,
  type JobBase,
  type Saved,
} from "../../../src/workspace/annotations/sync.ts";
import {
  changesOf,
  type Edit,
  type History,
  leastsOf,
  NO_EDITS,
  undo,
  withEdit,
} from "../../../src/workspace/rules/edit-history.ts";

export const TASKS = ["a.jpg", "b.jpg"];
export const PROMPTS = ["cup", "fork"];

let now = 0;
/** Returns the time of the next edit. */
export const tick = (): number => ++now;

/** A service that keeps one document, and is reached or not. */
export class FakeService {
  saved: Saved = { version: 0, document: NO_ANNOTATIONS };
  saves = 0;
  requests = 0;
  /** Refuses every document, or knows no such job. */
  refusal: SegmentationError | null = null;

  /** The answer to a save may get lost. */
  reach(isReached: () => boolean, losesAnswer: () => boolean) {
    const ask = async (): Promise<void> => {
      await Promise.resolve();
      if (!isReached()) throw new Error("There is no network.");
      this.requests += 1;
      if (this.refusal?.status === 404) throw this.refusal;
    };
    return {
      load: async () => {
        await ask();
        return this.saved;
      },
      save: async (document: AnnotationsDocument, version: number) => {
        await ask();
        if (this.refusal !== null) throw this.refusal;
        const isRepeated = JSON.stringify(document) === JSON.stringify(this.saved.document);
        if (isRepeated && version >= this.saved.version - 1) return this.saved.version;
        if (version !== this.saved.version) return null;
        if (document.nextClassId < this.saved.document.nextClassId) throw new Error("Ids were given twice.");
        if (new Set(document.classes.map(({ id }) => id)).size < document.classes.length)
          throw new Error("Two classes have one id.");
        this.saved = { version: version + 1, document };
        this.saves += 1;
        if (losesAnswer()) throw new Error("The answer was lost.");
        return version + 1;
      },
    };
  }
}

/** A browser, or a tab of one, with its copy. */
export class Browser {
  isOnline = true;
  losesAnswers = false;
  state: AnnotationState = {
    fileNames: new Map(TASKS.map((taskId) => [taskId, ""])),
    verdicts: new Map(),
    notes: new Map(),
    accepted: new Set(),
    histories: new Map(),
    hidden: new Set(),
    searches: [],
    classes: [],
  };
  readonly sync: AnnotationSync;

  constructor(service: FakeService) {
    let saved: JobBase | null = null;
    const tasks = () => [...this.state.fileNames.keys()];
    const copy: Copy = {
      get base() {
        return baseFor(saved, "job", tasks());
      },
      set base(base) {
        saved = base && { ...base, jobId: "job", tasks: tasks() };
      },
      read: (base) => fieldsOfState(this.state, base, new Map()),
      change: (from, to) => void (this.state = withFields(this.state, from, to, tick())),
      prepare: async () => {},
      prompts: () => PROMPTS,
    };
    this.sync = new AnnotationSync(
      copy,
      service.reach(
        () => this.isOnline,
        () => this.losesAnswers,
      ),
    );
  }

  edit(taskId: string, edit: Edit): void {
    const history: History = withEdit(this.state.histories.get(taskId) ?? NO_EDITS, edit, 0);
    this.state = { ...this.state, histories: new Map(this.state.histories).set(taskId, history) };
  }

  /** Returns the edit that is undone. */
  undo(taskId: string): Edit | undefined {
    const history = undo(this.state.histories.get(taskId) ?? NO_EDITS);
    this.state = { ...this.state, histories: new Map(this.state.histories).set(taskId, history) };
    return history.undone.at(-1)?.edit;
  }

  /** The state that a person sees. */
  get seen() {
    return {
      classes: this.state.classes,
      verdicts: Object.fromEntries([...this.state.verdicts].toSorted(([a], [b]) => a.localeCompare(b))),
      notes: Object.fromEntries([...this.state.notes].toSorted(([a], [b]) => a.localeCompare(b))),
      hidden: [...this.state.hidden].toSorted((a, b) => a.localeCompare(b)),
      accepted: [...this.state.accepted].toSorted((a, b) => a.localeCompare(b)),
      leasts: Object.fromEntries(
        [...leastsOf(this.state.histories.values())]
          .map(([prompt, least]) => [String(prompt), least] as const)
          .toSorted(([a], [b]) => a.localeCompare(b)),
      ),
      objects: Object.fromEntries(
        TASKS.flatMap((taskId) => [...changesOf(this.state.histories.get(taskId) ?? NO_EDITS)]).toSorted(
          ([a], [b]) => a.localeCompare(b),
        ),
      ),
    };
  }
}
