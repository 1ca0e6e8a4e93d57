/** Opens a folder of the family `owlvit-sam2`: its graphs and tokenizer become a model. */
import { ClipTokenizer } from "../clip-tokenizer.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { openWithSam2 } from "../sam2/open.ts";
import { Detector } from "./detector.ts";
import { OwlvitManifest } from "./manifest.ts";
import { OwlvitModel } from "./model.ts";

/** What the adapter gives each graph, and reads from it. */
const ROLES = {
  image: { inputs: ["image"], outputs: ["features", "boxes"] },
  text: { inputs: ["ids", "mask"], outputs: ["words"] },
  head: { inputs: ["features", "words", "ids"], outputs: ["scores"] },
};

/** @throws ModelFolderError if a graph or another file is not what the manifest says */
export async function openOwlvit(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, OwlvitManifest);
  const tokenizer = await ClipTokenizer.load(folder, manifest.text);
  return openWithSam2(folder, manifest, options, async ({ load, ...parts }) => {
    const graphs = {
      head: await load(manifest.graphs.head, ROLES.head),
      text: await load(manifest.graphs.text, ROLES.text),
      image: await load(manifest.graphs.image, ROLES.image),
    };
    const detector = new Detector(graphs, tokenizer, manifest, options.textCacheBytes);
    return new OwlvitModel({ manifest, detector, ...parts }, options);
  });
}
