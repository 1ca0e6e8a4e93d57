import { Model } from "./model.ts";
import type { Operation } from "../../shared/api/operation.ts";

/** Operations of the tag "Model". */
export const MODEL_OPERATIONS = {
  retrieveModel: {
    method: "get",
    path: "/v1/model",
    tag: "Model",
    summary: "Get the model in use",
    description:
      "What the model can do: which words it knows, and whether it takes regions and videos. The answer is cached for a minute.",
    status: 200,
    answer: Model,
    success: "The model of the inference service in use.",
    errors: ["model_unavailable"],
  },
} as const satisfies Record<string, Operation>;
