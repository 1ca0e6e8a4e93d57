import type { Outcome } from "../journal/entries.ts";
import { customIdOf } from "../inputs/manifest.ts";

/** The results of a manifest, a line for each of its lines, in the shape of batch APIs: the response, or the error. */
export function batchResults(
  inputs: readonly { readonly id: string }[],
  outcomes: ReadonlyMap<string, Outcome>,
): string {
  return inputs
    .flatMap(({ id }) => {
      const outcome = outcomes.get(id);
      if (outcome === undefined) return [];
      const { jobId = null, problem, hasFailed, masks, tracks, files } = outcome;
      const [, code = "internal_error", message = problem] = /^([a-z_]+): (.*)$/s.exec(problem ?? "") ?? [];
      const body = { jobId, problem, ...(tracks === undefined ? { masks } : { tracks }), files };
      const line = {
        custom_id: customIdOf({ id }),
        response: hasFailed ? null : { status_code: 200, body },
        error: hasFailed ? { code, message } : null,
      };
      return [`${JSON.stringify(line)}\n`];
    })
    .join("");
}
