import { section } from "../statement.ts";

const REFUSED = "operations/createJob/regions: refuses %s";
const ALONE =
  "operations/createJob/regions: takes a job of regions alone, whose manifest has no prompts, and a mask for each region";
const POINTED_AT =
  "e2e/picture: draws what is pointed at, though no word names it: a mask with the region's index, in a job without prompts";
const ONE_MASK =
  "inference/service/regions: each region gives one mask behind those of the prompts, which names the region's index and no prompt";

/** Regions: what words can't say. */
export const ADDED_REGIONS = section(
  "A5",
  [
    "createJob takes regions of pictures: 1 to 50, each a box [x, y, width, height] or 1 to 20 points with labels 1 and 0, at least one with label 1.",
    "operations/createJob/regions: takes 50 regions of 20 points each, and a region outside of any picture: only the task can know",
    REFUSED,
    "operations/createJob/regions: refuses regions of a video",
  ],
  [
    "A region names one of the job's tasks, which alone gets it, with its index in the request.",
    REFUSED,
    "operations/createJob/regions: gives each task of the inference service its own regions, with their index in the request",
    "unit/core/jobs/define: each task gets its own regions in the request's order, each with its index among all of the job's",
  ],
  [
    "With regions prompts may be left out, if each task has a region.",
    ALONE,
    POINTED_AT,
    "operations/createJob/regions: refuses a task for which a job without prompts has no region, and names it",
  ],
  [
    "Each region gives one mask, after those of the prompts; its PNG carries region and its index instead of prompt.",
    ONE_MASK,
    "inference/masks/png: a reader finds the region's index, and no prompt",
    POINTED_AT,
  ],
  [
    "It is the most confident mask: SAM 2's one mask for a small box or several points, else its alternative that is rated best.",
    "inference/models/sam2/choice: a single point, which may mean several things, gets the alternative that is rated best",
    "inference/models/sam2/choice: %s gets the one mask, however it is rated",
  ],
  [
    "In COCO its category is region, behind those of the prompts; so in the labels for YOLO.",
    "inference/service/regions: an annotation of a region has the category `region`, which comes behind those of the prompts",
    "unit/core/archives/plan: has a class for what was drawn for regions, behind those of the prompts",
  ],
  [
    "Coordinates are pixels of the picture as shown, its EXIF orientation applied.",
    "inference/service/regions: coordinates are those of the picture as it is shown: turned by its EXIF orientation",
  ],
  [
    "A region outside the picture fails its task as region_outside_image.",
    "inference/service/regions: a region outside the picture fails the task, and says how large the picture is",
    "inference/worker/place-regions: %s is refused with the picture's size and the region's index",
  ],
  [
    "A model that finds by words only fails the task as regions_unsupported.",
    "inference/service/regions: a model that finds by words only says regions_unsupported, before it looks at the picture",
  ],
  [
    "builtin and grounding-dino-sam2 draw regions by SAM 2's decoder, whatever they show.",
    "inference/models/regions: %s is drawn %s as a person drew it",
    "inference/models/grounding-dino/grounding-dino: draws in a box the mask that it gives the object whose box that is",
  ],
  [
    "A further region on a known picture costs a decoder run only.",
    "inference/models/regions: a further region of a known picture costs one run, of the decoder",
  ],
  [
    "A job of regions costs what any job of its pictures costs.",
    "operations/createJob/regions: costs a picture's unit, however many regions it has",
  ],
);
