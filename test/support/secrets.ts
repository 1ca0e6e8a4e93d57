import type { Secrets } from "../../src/shared/keys.ts";

/** Returns a service's secrets: this one, and the given earlier ones. */
export const service = (current: string, earlier: Partial<Secrets> = {}): Secrets => ({
  current,
  previous: null,
  ...earlier,
});
