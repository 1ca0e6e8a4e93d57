import type { Model } from "../contract/model.ts";
import { ServiceError } from "../../shared/errors.ts";
import { log } from "../../shared/log.ts";
import type { OperationRequest } from "../../operation-request.ts";

/** The inference service loads a model in a minute or so; a shorter wait may help where it was restarted. */
const RETRY_SECONDS = 10;
const THE_MODEL = "model";

/** retrieveModel: the model of the inference service, asked at most once a minute. @throws ServiceError model_unavailable. */
export async function retrieveModel({ platform }: OperationRequest<"retrieveModel">): Promise<Model> {
  const { inference, knownModel } = platform;
  const now = Date.now();
  const known = knownModel.get(THE_MODEL, now);
  if (known !== undefined) return known;
  const described = await inference.describeModel();
  if ("reason" in described) {
    log("warn", "model_unavailable", { reason: described.reason });
    throw new ServiceError("model_unavailable", undefined, { retryAfterSeconds: RETRY_SECONDS });
  }
  const { id, family, version, vocabulary, attributes, regions, formats, capabilities } = described;
  const video = capabilities.types.includes("video");
  const model = { id, family, version, vocabulary, attributes, regions, video, formats };
  knownModel.put(THE_MODEL, model, now);
  return model;
}
