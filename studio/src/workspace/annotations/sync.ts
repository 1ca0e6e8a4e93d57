import { signal } from "@preact/signals";
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

/** The service's side. Both throw if it can't be reached. */
export interface AnnotationService {
  readonly load: () => Promise<Saved>;
  /** Saves a document that is based on a version; null if another one is there. */
  readonly save: (document: AnnotationsDocument, version: number) => Promise<number | null>;
}

/** The copy of a document that a person changes. */
export interface Copy {
  base: Base | null;
  readonly read: (base: Fields) => Fields;
  /** Takes what others have changed. */
  readonly change: (from: Fields, to: Fields) => void;
  /** Makes what is saved and is not there yet. */
  readonly prepare: (base: Fields) => Promise<void>;
  readonly prompts: () => readonly string[];
}

export type SyncState =
  | { readonly at: "saved" }
  | { readonly at: "saving" }
  /** It has changes, which are saved soon. */
  | { readonly at: "changed" }
  | { readonly at: "failed"; readonly error: unknown; readonly hasChanges: boolean };

export const NOTHING: Fields = fieldsOf(NO_ANNOTATIONS);

/** Keeps a copy in step with the service: what differs is merged field by field, and nothing is overwritten that was not read. */
export class AnnotationSync {
  readonly state = signal<SyncState>({ at: "saved" });
  readonly #copy: Copy;
  readonly #service: AnnotationService;
  #last: Promise<void> = Promise.resolve();

  constructor(copy: Copy, service: AnnotationService) {
    this.#copy = copy;
    this.#service = service;
  }

  /** Tells whether the copy has what the service has not. */
  hasChanges(): boolean {
    const before = this.#copy.base?.fields ?? NOTHING;
    return !areSame(this.#copy.read(before), before);
  }

  /** Notes that the copy may have changed. */
  note(): void {
    if (this.state.peek().at !== "saving" && this.hasChanges()) this.state.value = { at: "changed" };
  }

  /** Takes what others have changed, and saves what was changed here; one call after the other. */
  sync(): Promise<void> {
    this.#last = this.#last.then(() => this.#sync(true));
    return this.#last;
  }

  /** Saves what was changed here. */
  save(): Promise<void> {
    this.#last = this.#last.then(() => this.#sync(false));
    return this.#last;
  }

  async #sync(isAsked: boolean): Promise<void> {
    try {
      if (isAsked || this.#copy.base === null) this.#take(await this.#service.load());
      while (this.hasChanges()) await this.#saveOnce();
      this.state.value = { at: "saved" };
    } catch (error) {
      this.state.value = { at: "failed", error, hasChanges: this.hasChanges() };
    }
  }

  async #saveOnce(): Promise<void> {
    this.state.value = { at: "saving" };
    const { version, fields } = this.#copy.base ?? { version: 0, fields: NOTHING };
    await this.#copy.prepare(fields);
    const document = documentOf(this.#copy.read(fields), this.#copy.prompts());
    const saved = await this.#service.save(document, version);
    if (saved === null) this.#take(await this.#service.load());
    else this.#copy.base = { version: saved, fields: fieldsOf(document) };
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
