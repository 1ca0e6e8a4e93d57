import { categoriesOf, type Category } from "@segmentation/protocol";
import type { JobDefinition } from "./state.ts";

/** The categories of a job's annotations and labels: its prompts, then `region` if it has regions. */
export const categoriesOfJob = (definition: JobDefinition): Category[] =>
  categoriesOf(definition.prompts, definition.type === "image" && definition.regions !== undefined);
