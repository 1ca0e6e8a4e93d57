import type { Secrets } from "../../src/shared/keys.ts";

/** A service with this secret, and the earlier ones that are given. */
export const service = (current: string, earlier: Partial<Secrets> = {}): Secrets => ({
  current,
  previous: null,
  ...earlier,
});
