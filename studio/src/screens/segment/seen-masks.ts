import type { GalleryMask } from "../../gallery/items.ts";
import type { ExportMask } from "../../export/types.ts";
import { type Instance, isShown } from "../../work/instances.ts";
import type { Look } from "./look.ts";

/** Instances as they are seen: with their colours, and whether they are shown. */
export const seenMasks = (look: Look, instances: readonly Instance[]): (GalleryMask & ExportMask)[] =>
  instances.map((instance) => ({
    png: instance.png,
    rgb: look.colour(instance).rgb,
    prompt: instance.prompt,
    confidence: instance.confidence,
    isShown: isShown(instance, look.filter.value),
  }));
