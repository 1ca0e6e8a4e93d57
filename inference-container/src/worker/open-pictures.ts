import type { OpenPicture } from "../models/model.ts";

/** The pictures that a clip keeps open, so that none stays so, however the clip ends. */
export class OpenPictures implements Disposable {
  readonly #open = new Set<OpenPicture>();

  add(picture: OpenPicture | undefined): void {
    if (picture !== undefined) this.#open.add(picture);
  }

  close(picture: OpenPicture | undefined): void {
    if (picture !== undefined && this.#open.delete(picture)) picture[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const picture of this.#open) this.close(picture);
  }
}
