/** Checks that the graphs' inputs and outputs are those that the adapter uses. */
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

/** @throws ModelFolderError naming a role that a graph lacks in the manifest, or that it should not have */
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
      `The input "${odd.name}" of ${file} has the role "${odd.role}" in the manifest, which the family grounding-dino-sam2 doesn't know for this graph.`,
    );
}
