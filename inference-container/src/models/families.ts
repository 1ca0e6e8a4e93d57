/** The model families, each with its adapter. */
import { openBuiltin } from "./builtin/model.ts";
import { openGroundingDino } from "./grounding-dino/model.ts";
import { openKserve } from "./kserve/model.ts";
import { openOwlvit } from "./owlvit/model.ts";
import { openRfDetr } from "./rf-detr/model.ts";
import { openSam3 } from "./sam3/open.ts";
import type { LoadedModel, LoadOptions } from "./loaded-model.ts";

type Open = (folder: string, options: LoadOptions) => Promise<LoadedModel>;

/** The family whose models are on a server of the Open Inference Protocol: they have no graphs here. */
export const SERVER_FAMILY = "kserve";

/** The families that can be loaded, by their name in a manifest. */
export const FAMILIES: ReadonlyMap<string, Open> = new Map<string, Open>([
  ["builtin", openBuiltin],
  ["grounding-dino-sam2", openGroundingDino],
  [SERVER_FAMILY, openKserve],
  ["owlvit-sam2", openOwlvit],
  ["rf-detr-seg", openRfDetr],
  ["sam3", openSam3],
]);
