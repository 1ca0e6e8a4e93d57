import { signal } from "@preact/signals";
import type { Answer } from "segmentation-client";
import { api } from "../../state/session.ts";

/** The model in use and its capabilities; null until they are known. */
export const model = signal<Answer<"retrieveModel"> | null>(null);

let asked = false;

/** Asks for the model, once it is complete. Without an answer the studio offers no words and hides nothing: the service reports what it refuses. */
export async function askForModel(): Promise<void> {
  if (asked) return;
  asked = true;
  try {
    model.value = await api.value.retrieveModel();
    const { interactive, formats } = model.value;
    // A service that has just been started stores its decoder at the first request.
    if (interactive === undefined && formats.includes("embedding")) asked = false;
  } catch {
    asked = false;
  }
}
