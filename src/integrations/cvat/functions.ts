import { retrieveModel } from "../../models/operations/models.ts";
import type { Requester } from "../../segment/operations/requester.ts";

/** A function of Nuclio's dashboard, with the fields that CVAT reads. */
interface NuclioFunction {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: { readonly description: string };
  readonly status: { readonly state: "ready"; readonly httpPort: number };
}

export const INTERACTOR = "segmentation-interactor";
export const DETECTOR = "segmentation-detector";

/** CVAT's editor takes interactors that answer with a mask from version 2 on. */
const VERSION = "2";

/**
 * Returns the labels of the detector: the operator's, or the words that the model knows, up to a job's limit; none for an
 * open-vocabulary model.
 */
export async function labelsOf(client: Requester): Promise<readonly string[]> {
  const { CVAT_LABELS: labels, MAX_PROMPTS: most } = client.platform.settings;
  if (labels !== undefined) return labels.slice(0, most);
  const { vocabulary } = await retrieveModel(client);
  return vocabulary === "open" ? [] : vocabulary.slice(0, most);
}

/** The functions on offer, by name: the detector only if it has labels, because CVAT sends no words. */
export async function functionsOf(client: Requester): Promise<Readonly<Record<string, NuclioFunction>>> {
  const { STUDIO_NAME: service } = client.platform.settings;
  const labels = await labelsOf(client);
  const spec = labels.map((name, id) => ({ id, name, type: "mask", attributes: [] }));
  const detector = functionOf(DETECTOR, `${service}: detector`, `Finds objects of ${labels.length} kinds.`, {
    type: "detector",
    spec: JSON.stringify(spec),
  });
  const interactor = functionOf(
    INTERACTOR,
    `${service}: interactor`,
    "Draws the object that is clicked or boxed.",
    {
      type: "interactor",
      spec: "[]",
      // A box is enough.
      min_pos_points: "0",
      min_neg_points: "0",
      startswith_box_optional: "true",
      help_message:
        "Click on the object, and next to it where the mask reaches too far; or draw a box around it.",
    },
  );
  return { [INTERACTOR]: interactor, ...(labels.length > 0 && { [DETECTOR]: detector }) };
}

const functionOf = (
  name: string,
  title: string,
  description: string,
  annotations: Readonly<Record<string, string>>,
): NuclioFunction => ({
  metadata: { name, annotations: { name: title, framework: "onnx", version: VERSION, ...annotations } },
  spec: { description },
  status: { state: "ready", httpPort: 0 },
});
