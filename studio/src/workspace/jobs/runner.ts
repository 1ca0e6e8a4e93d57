import { loadScript } from "../../state/scripts.ts";
import type { Renderer } from "../../render/renderer.ts";
import type { Instance } from "../rules/instances.ts";
import type { Owner } from "../service/owner.ts";

/** Runs the same action only once at a time: later callers get the same outcome. */
class Once<T> {
  readonly #underWay = new Map<string, Promise<T>>();

  async do(what: string, act: () => Promise<T>): Promise<T> {
    const doing = this.#underWay.get(what) ?? act().finally(() => this.#underWay.delete(what));
    this.#underWay.set(what, doing);
    return await doing;
  }
}

/** Runs actions one after the other. */
class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  async do<T>(act: () => Promise<T>): Promise<T> {
    const doing = this.#last.then(act);
    this.#last = doing.catch(() => {});
    return await doing;
  }
}

/** Running operations of a workspace, in its owner's name, with the signals that end them. */
export class Runner {
  readonly uploads = new Once<void>();
  readonly masks = new Once<readonly Instance[]>();
  readonly objects = new Once<void>();
  /** Jobs are created one after the other, so that each knows the one to which it adds. */
  readonly creations = new InTurn();
  /** Pictures of a share are fetched for the strip one after the other, so that the open one is not delayed. */
  readonly thumbnails = new InTurn();
  readonly #end = new AbortController();
  readonly #drawing = new AbortController();
  #renderer: Promise<Renderer> | undefined;
  #search = new AbortController();
  /** Aborted when the owner signs out, or the workspace is given up. */
  readonly signal: AbortSignal;

  constructor(owner: Owner) {
    this.signal = AbortSignal.any([owner.signal, this.#end.signal]);
  }

  /** Begins a search. Its signal is aborted if a person gives up waiting until its job can be created. */
  beginSearch(): AbortSignal {
    this.#search = new AbortController();
    return AbortSignal.any([this.signal, this.#search.signal]);
  }

  /**
   * Returns the renderer of the workspace's pictures, opened on first use. It has its own worker, so that thumbnails do not delay it.
   * Throws the signal's reason if the workspace is over, and an error with a sentence if its script can't be fetched.
   */
  renderer(): Promise<Renderer> {
    this.#renderer ??= this.#openRenderer().catch((error: unknown) => {
      this.#renderer = undefined;
      throw error;
    });
    return this.#renderer;
  }

  async #openRenderer(): Promise<Renderer> {
    const ended = AbortSignal.any([this.signal, this.#drawing.signal]);
    const { Renderer: Opened } = await loadScript(() => import("../../render/renderer.ts"));
    ended.throwIfAborted();
    const renderer = new Opened();
    ended.addEventListener("abort", () => renderer.close());
    return renderer;
  }

  /** Ends the renderer when the workspace is closed; its other operations go on. */
  stopDrawing(): void {
    this.#drawing.abort();
  }

  stopWaiting(): void {
    this.#search.abort();
  }

  end(): void {
    this.#end.abort();
  }
}
