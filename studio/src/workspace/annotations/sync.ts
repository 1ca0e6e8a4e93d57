import { signal } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import {
  type AnnotationsDocument,
  areSame,
  documentOf,
  type Fields,
  fieldsOf,
  merged,
  NO_ANNOTATIONS,
} from "./fields.ts";

/** Annotations as the service has them. */
export interface Saved {
  readonly version: number;
  readonly document: AnnotationsDocument;
}

/** The document that a copy is based on. */
export interface Base {
  readonly version: number;
  readonly fields: Fields;
}

/** Base of a job's annotations. */
export interface JobBase extends Base {
  readonly jobId: string;
  /** The tasks of the copy then: it has taken these from the document. */
  readonly tasks: readonly string[];
}

/** Returns the base of a copy with these tasks; null if some came later, so that nothing counts as deleted that it has never had. */
export const baseFor = (base: JobBase | null, jobId: string, tasks: readonly string[]): Base | null =>
  base?.jobId === jobId && tasks.every((taskId) => base.tasks.includes(taskId)) ? base : null;

/** The service's side. Both throw if it can't be reached, or refuses. */
export interface AnnotationService {
  readonly load: () => Promise<Saved>;
  /** Saves a document that is based on a version; null if another one is there. */
  readonly save: (document: AnnotationsDocument, version: number) => Promise<number | null>;
}

/** The copy of a document that a person changes. */
export interface Copy {
  base: Base | null;
  readonly read: (base: Fields) => Fields;
  /** Takes others' changes, and the numbers and the spelling of the classes. */
  readonly change: (from: Fields, to: Fields) => void;
  /** Composes saved masks that are not here yet. */
  readonly prepare: (base: Fields) => Promise<void>;
  readonly prompts: () => readonly string[];
}

export type SyncState =
  | { readonly at: "saved" }
  | { readonly at: "saving" }
  /** It has changes, which are saved soon. */
  | { readonly at: "changed" }
  | { readonly at: "failed"; readonly error: unknown; readonly hasChanges: boolean }
  /** The job was deleted. */
  | { readonly at: "gone" };

const isOfMissingJob = (error: unknown): boolean =>
  error instanceof SegmentationError && error.code === "job_not_found";

/** Statuses of refusals that have nothing to do with the document. */
const PASSING: ReadonlySet<number> = new Set([401, 402, 403, 408, 409, 425, 429]);

/** Tells whether the service would refuse the same document again. */
const isFinal = (error: unknown): boolean =>
  error instanceof SegmentationError &&
  error.status !== undefined &&
  error.status >= 400 &&
  error.status < 500 &&
  !PASSING.has(error.status);

const NOTHING: Fields = fieldsOf(NO_ANNOTATIONS);

/** Keeps a copy in step with the service: merges differences field by field, and overwrites nothing unread. */
export class AnnotationSync {
  readonly state = signal<SyncState>({ at: "saved" });
  readonly #copy: Copy;
  readonly #service: AnnotationService;
  #last: Promise<void> = Promise.resolve();
  /** The call that has not begun. */
  #next: Promise<void> | null = null;
  #isNextAsked = false;
  /** The document that the service has refused. */
  #refused: { readonly text: string; readonly error: unknown } | null = null;

  constructor(copy: Copy, service: AnnotationService) {
    this.#copy = copy;
    this.#service = service;
  }

  /** Returns true if the copy has changes that the service lacks. */
  hasChanges(): boolean {
    const before = this.#copy.base?.fields ?? NOTHING;
    return !areSame(this.#copy.read(before), before);
  }

  /** Notes that the copy may have changed. */
  note(): void {
    const { at } = this.state.peek();
    if (at !== "saving" && at !== "gone" && this.hasChanges()) this.state.value = { at: "changed" };
  }

  /** Merges others' changes, and saves local ones; one call after the other. */
  sync(): Promise<void> {
    return this.#queue(true);
  }

  /** Saves local changes. */
  save(): Promise<void> {
    return this.#queue(false);
  }

  /** Callers that wait for the same call share it. */
  #queue(isAsked: boolean): Promise<void> {
    this.#isNextAsked ||= isAsked;
    this.#next ??= this.#last = this.#last.then(() => {
      const wasAsked = this.#isNextAsked;
      this.#isNextAsked = false;
      this.#next = null;
      return this.#sync(wasAsked);
    });
    return this.#next;
  }

  async #sync(isAsked: boolean): Promise<void> {
    if (this.state.peek().at === "gone") return;
    try {
      if (isAsked || this.#copy.base === null) this.#take(await this.#service.load());
      do await this.#copy.prepare(this.#copy.base?.fields ?? NOTHING);
      while (this.hasChanges() && (await this.#saveOnce()));
      this.state.value = { at: this.hasChanges() ? "changed" : "saved" };
    } catch (error) {
      this.state.value = isOfMissingJob(error)
        ? { at: "gone" }
        : { at: "failed", error, hasChanges: this.hasChanges() };
    }
  }

  /** Returns false if the service has this document already: saving it again changes nothing. */
  async #saveOnce(): Promise<boolean> {
    this.state.value = { at: "saving" };
    const { version, fields } = this.#copy.base ?? { version: 0, fields: NOTHING };
    const document = documentOf(this.#copy.read(fields), this.#copy.prompts());
    const saved = await this.#save(document, version);
    if (saved === null) {
      this.#take(await this.#service.load());
      return true;
    }
    const after = fieldsOf(document);
    this.#copy.base = { version: saved, fields: after };
    // The copy takes the numbers of the classes: two objects may have named one class in two ways.
    const now = this.#copy.read(after);
    this.#copy.change(now, now);
    return saved !== version;
  }

  async #save(document: AnnotationsDocument, version: number): Promise<number | null> {
    const text = JSON.stringify(document);
    if (this.#refused?.text === text) throw this.#refused.error;
    try {
      return await this.#service.save(document, version);
    } catch (error) {
      if (isFinal(error)) this.#refused = { text, error };
      throw error;
    }
  }

  #take({ version, document }: Saved): void {
    if (version === this.#copy.base?.version) return;
    const before = this.#copy.base?.fields ?? NOTHING;
    const local = this.#copy.read(before);
    const remote = fieldsOf(document);
    const both = merged(before, local, remote);
    this.#copy.base = { version, fields: remote };
    this.#copy.change(local, both);
  }
}
