import { hexOf } from "@segmentation/masks";
import { ServiceError } from "../shared/errors.ts";
import { contentTypeOf, jobTypeOf, SNIFF_BYTES } from "../shared/bucket/media-type.ts";
import type { ArrivingFile } from "../uploads/operations/store-file.ts";
import type { FormPart } from "./multipart.ts";

/** A picture in a form, as its bytes arrive. */
export class FormFile implements ArrivingFile {
  readonly contentType: string | null;
  /** The form's size is known at most. */
  readonly size = null;
  readonly mostBytes: number;
  received = 0;
  readonly #part: FormPart;
  readonly #digest = new crypto.DigestStream("SHA-256");
  readonly #digesting = this.#digest.getWriter();
  #seen: Uint8Array[] = [];
  #limit = Infinity;

  /** @param mostBytes the size of the form, or the maximum */
  constructor(part: FormPart, mostBytes: number) {
    this.#part = part;
    this.contentType = part.contentType;
    this.mostBytes = mostBytes;
    // It rejects if the file is not read to its end.
    this.#digest.digest.catch(() => {});
  }

  refuseMoreThan(bytes: number): void {
    this.#limit = bytes;
    if (this.received > bytes)
      throw new ServiceError(
        "upload_too_large",
        `A picture may have at most ${bytes / 1_000_000} MB. Send a smaller one.`,
      );
  }

  /** @throws ServiceError invalid_request, import_type_unsupported, task_type_mismatch if the file is no picture. */
  async peek(length: number): Promise<Uint8Array> {
    while (this.received < Math.max(length, SNIFF_BYTES)) {
      const bytes = await this.#receive();
      if (bytes === null) break;
      this.#seen.push(bytes);
    }
    const head = new Uint8Array(await new Blob(this.#seen).slice(0, length).arrayBuffer());
    if (head.length === 0)
      throw new ServiceError("invalid_request", "image: is empty. Send the picture's file.");
    const contentType = contentTypeOf(head, this.contentType);
    if (contentType === null)
      throw new ServiceError("import_type_unsupported", "image: is not a picture. Send the picture's file.");
    if (jobTypeOf(contentType) !== "image")
      throw new ServiceError(
        "task_type_mismatch",
        "image: is a video. Upload it, and create a job of type video.",
      );
    return head;
  }

  async read(): Promise<Uint8Array | null> {
    return this.#seen.shift() ?? (await this.#receive());
  }

  async #receive(): Promise<Uint8Array | null> {
    const bytes = await this.#part.read();
    if (bytes === null) return null;
    this.received += bytes.length;
    this.refuseMoreThan(this.#limit);
    await this.#digesting.write(bytes);
    return bytes;
  }

  /** Returns the SHA-256 (hex) of the whole file; reads what is left of it. */
  async sha256(): Promise<string> {
    while ((await this.read()) !== null);
    await this.#digesting.close();
    return hexOf(await this.#digest.digest);
  }
}
