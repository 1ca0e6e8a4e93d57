/** RF-DETR Seg with the embedded model's words, and its SAM 2 for regions. */
import type { Corners } from "@segmentation/masks";
import type { Usage } from "../../device/usage.ts";
import { BuiltinManifest } from "../builtin/manifest.ts";
import { ModelFolderError } from "../errors.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import type { Roles } from "../graph.ts";
import { type Labelled, LabelModel, type LabelParts } from "../labels/model.ts";
import { openVocabulary, TEXT } from "../labels/open-vocabulary.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Picture } from "../model.ts";
import { openWithSam2 } from "../sam2/open.ts";
import { Detector } from "./detector.ts";
import { RfDetrManifest } from "./manifest.ts";

const DETECTOR: Roles = { inputs: ["image"], outputs: ["boxes", "scores", "masks"] };

/**
 * Opens a folder of the family `rf-detr-seg`.
 * @throws ModelFolderError if a graph or another file is not what the manifests say
 */
export async function openRfDetr(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const own = await readManifest(folder, RfDetrManifest);
  const embedded = await readManifest(folder, BuiltinManifest, own.embedded);
  const manifest = { ...embedded, ...own, graphs: { ...embedded.graphs, ...own.graphs } };
  const { encoder, decoder, text } = embedded.graphs;
  const { tokenizer, tokenizerConfig, nouns } = embedded.text;
  for (const name of [encoder.file, decoder.file, text.file, tokenizer, tokenizerConfig, nouns])
    if (!own.files.some((file) => file.name === name))
      throw new ModelFolderError(
        `${name}, which ${own.embedded} uses, is not listed in the manifest's files in ${folder}.`,
      );
  return openWithSam2(folder, manifest, options, async (load) => {
    const graph = await load(own.graphs.detector, DETECTOR);
    const detector = new Detector(graph, own, embedded.vocabulary.labels);
    const vocabulary = await openVocabulary(folder, manifest, await load(text, TEXT), options.textCacheBytes);
    return (parts) => new RfDetrModel({ manifest, detector, vocabulary, ...parts }, options);
  });
}

interface RfDetrParts extends LabelParts {
  readonly detector: Detector;
}

class RfDetrModel extends LabelModel<RfDetrParts> {
  protected override detect(picture: Picture, usage: Usage): Promise<Labelled[]> {
    return this.parts.detector.detect(picture, usage);
  }

  protected override distinct(detections: readonly Labelled[]): Labelled[] {
    const boxes = new Set<Corners>();
    return detections.filter(({ box }) => boxes.size < boxes.add(box).size);
  }
}
