/** Whether the graphs take and give what the adapter gives and takes. */
import { ModelFolderError } from "../folder-error.ts";
import type { Graph } from "../graph.ts";
import type { GroundingDinoManifest } from "./manifest.ts";

type Kind = keyof GroundingDinoManifest["graphs"];

const FEATURES = ["embedding", "fine", "middle"];
const INPUTS: Readonly<Record<Kind, readonly string[]>> = {
  detector: ["image", "content", "ids", "mask", "types"],
  encoder: ["image"],
  decoder: [...FEATURES, "points", "pointLabels", "priorMasks", "hasPriorMasks"],
};
const OUTPUTS: Readonly<Record<Kind, readonly string[]>> = {
  detector: ["scores", "boxes"],
  encoder: FEATURES,
  decoder: ["masks", "quality"],
};

/** @throws ModelFolderError naming the role that a graph lacks in the manifest, or has too many. */
export function checkRoles(kind: Kind, { file, inputs, outputs }: Graph): void {
  for (const [word, tensors, roles] of [
    ["input", inputs, INPUTS[kind]],
    ["output", outputs, OUTPUTS[kind]],
  ] as const)
    for (const role of roles)
      if (!tensors.some((tensor) => tensor.role === role))
        throw new ModelFolderError(`No ${word} of ${file} has the role "${role}" in the manifest.`);
  const odd = inputs.find(({ role }) => !INPUTS[kind].includes(role));
  if (odd !== undefined)
    throw new ModelFolderError(
      `The input "${odd.name}" of ${file} has the role "${odd.role}" in the manifest, which the family grounding-dino-sam2 doesn't know there.`,
    );
}
