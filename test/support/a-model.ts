import { type ModelDescription, PROTOCOL } from "@segmentation/protocol";

/** A model that finds people in pictures and draws nothing, with changes. */
export const aModel = (changes: Partial<ModelDescription> = {}): ModelDescription => ({
  protocol: PROTOCOL,
  id: "model",
  version: "1.0.0",
  family: "builtin",
  provider: "cpu",
  vocabulary: ["person"],
  attributes: false,
  regions: { box: false, points: false, clips: false, examples: false },
  formats: [],
  capabilities: { types: ["image"], preview: false },
  ...changes,
});
