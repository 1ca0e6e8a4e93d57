import { join } from "node:path";
import type { DecoderRequest } from "@segmentation/protocol";
import type { Logger } from "pino";
import { messageOf } from "../errors.ts";
import { Patience } from "../http-client.ts";
import { putFile } from "./outputs.ts";

/** The longest time for which storage may fail. */
const PATIENCE_MS = 60_000;

/** Puts the decoder's file into the bucket, as long as the service runs: one time at a time. */
export class DecoderUpload {
  readonly #folder: string;
  readonly #log: Logger;
  #isRunning = false;

  /** @param folder the model's */
  constructor(folder: string, log: Logger) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Begins, unless an earlier upload still runs. The log has its end. @param file the decoder's name in the folder */
  begin(file: string, { url, headers, sha256 }: DecoderRequest): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#put(join(this.#folder, file), { url, headers }, sha256).finally(() => {
      this.#isRunning = false;
    });
  }

  async #put(path: string, upload: Pick<DecoderRequest, "url" | "headers">, sha256: string): Promise<void> {
    const patience = new Patience(PATIENCE_MS, { deadline: Date.now() + PATIENCE_MS });
    try {
      await putFile({ path }, upload, patience, new AbortController().signal);
      this.#log.info({ sha256 }, "decoder_stored");
    } catch (error) {
      this.#log.warn({ sha256, reason: messageOf(error) }, "decoder_not_stored");
    }
  }
}
