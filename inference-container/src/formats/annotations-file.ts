import { join } from "node:path";
import { annotationLine, closeAnnotations, openAnnotations, OUTPUTS } from "@segmentation/protocol";
import type { WrittenFile } from "../messages.ts";
import { TextFile } from "../text-file.ts";
import { formatsTooLarge } from "./limits.ts";

/** Pictures and videos use the same file name. */
const { name, contentType } = OUTPUTS.image.coco;

/** Writes a COCO document annotation by annotation. Used as a `TextFile`. */
export class AnnotationsFile implements AsyncDisposable {
  readonly #path: string;
  readonly #file: TextFile;
  #isEmpty = true;

  private constructor(path: string, file: TextFile) {
    this.#path = path;
    this.#file = file;
  }

  /**
   * Creates the document in a task's folder. `head` has the fields before the annotations; `limitBytes` limits the
   * document up to its last annotation.
   */
  static async open(folder: string, head: object, limitBytes: number): Promise<AnnotationsFile> {
    const path = join(folder, name);
    const file = await TextFile.open(path, openAnnotations(head), limitBytes, () =>
      formatsTooLarge("COCO annotations", limitBytes),
    );
    return new AnnotationsFile(path, file);
  }

  /** Appends an annotation. @throws TaskFailure named formats_too_large */
  async add(annotation: object): Promise<void> {
    await this.#file.write(annotationLine(annotation, this.#isEmpty));
    this.#isEmpty = false;
  }

  /** Ends the document; `rest` has the fields after the annotations. */
  async finish(rest?: object): Promise<WrittenFile> {
    const written = await this.#file.finish(closeAnnotations(rest));
    return { name, contentType, path: this.#path, ...written };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file[Symbol.asyncDispose]();
  }
}
