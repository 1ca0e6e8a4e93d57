import type { ModelInfo } from "../messages.ts";
import type { Model } from "./model.ts";

/** What is told of a model: what it is, and what it can. */
export function infoOf({
  id,
  version,
  family,
  provider,
  labels,
  drawsRegions = false,
}: Model): Omit<ModelInfo, "fallback"> {
  return {
    id,
    version,
    family,
    provider,
    vocabulary: labels === undefined ? "open" : [...labels],
    attributes: labels === undefined,
    regions: { box: drawsRegions, points: drawsRegions },
  };
}
