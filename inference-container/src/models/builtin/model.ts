/** The embedded model: finds a prompt's labels, their boxes, and the boxes' masks. */
import type { Usage } from "../../device/usage.ts";
import { suppress } from "../box.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import { type Labelled, LabelModel, type LabelParts } from "../labels/model.ts";
import { openVocabulary, TEXT } from "../labels/open-vocabulary.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Picture } from "../model.ts";
import { openWithSam2 } from "../sam2/open.ts";
import { Detector } from "./detector.ts";
import { BuiltinManifest } from "./manifest.ts";

/**
 * Opens a folder of the family `builtin`.
 * @throws ModelFolderError if a graph or another file is not what the manifest says
 */
export async function openBuiltin(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, BuiltinManifest);
  return openWithSam2(folder, manifest, options, async (load) => {
    const text = await load(manifest.graphs.text, TEXT);
    const graph = await load(manifest.graphs.detector, { inputs: ["image"], outputs: ["boxes", "scores"] });
    const detector = new Detector(graph, manifest);
    const vocabulary = await openVocabulary(folder, manifest, text, options.textCacheBytes);
    return (parts) => new BuiltinModel({ manifest, detector, vocabulary, ...parts }, options);
  });
}

interface BuiltinParts extends LabelParts {
  readonly manifest: BuiltinManifest;
  readonly detector: Detector;
}

class BuiltinModel extends LabelModel<BuiltinParts> {
  protected override detect(picture: Picture, usage: Usage): Promise<Labelled[]> {
    return this.parts.detector.detect(picture, usage);
  }

  protected override distinct(detections: readonly Labelled[]): Labelled[] {
    return suppress(detections, this.parts.manifest.detection.nmsIou);
  }
}
