import { EMBEDDING_FORMAT } from "@segmentation/masks";
import type { DecoderFile } from "@segmentation/protocol";
import type { Platform } from "../../platform.ts";
import { decoderKey } from "../../shared/bucket/object-keys.ts";
import type { Model } from "../contract/model.ts";
import { ServiceError } from "../../shared/errors.ts";
import { log } from "../../shared/log.ts";
import type { OperationRequest } from "../../operation-request.ts";

/** The inference service loads a model in a minute or so; a shorter wait may help where it was restarted. */
const RETRY_SECONDS = 10;
const THE_MODEL = "model";
/** Validity of the URL to which the inference service puts its decoder. */
const PUT_SECONDS = 600;

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
  const { decoder } = described;
  if (decoder === undefined || (await hasDecoder(platform, decoder.sha256))) {
    const answer = { ...model, ...(decoder !== undefined && interactiveOf(platform, decoder)) };
    knownModel.put(THE_MODEL, answer, now);
    return answer;
  }
  await storeDecoder(platform, decoder);
  return model;
}

const interactiveOf = (
  { settings }: Platform,
  { sha256, bytes }: DecoderFile,
): Pick<Model, "interactive"> => ({
  interactive: {
    decoder: { url: `${settings.PUBLIC_URL}/decoders/${sha256}.onnx`, bytes, sha256 },
    embedding: { format: EMBEDDING_FORMAT, units: 1 },
  },
});

const hasDecoder = async ({ media }: Platform, sha256: string): Promise<boolean> =>
  await media.has(decoderKey(sha256));

/** Has the inference service put its decoder into the bucket. */
async function storeDecoder({ media, inference }: Platform, { sha256, bytes }: DecoderFile): Promise<void> {
  const contentType = "application/octet-stream";
  const url = await media.signUpload(decoderKey(sha256), { contentType, size: bytes }, PUT_SECONDS);
  await inference.putDecoder({ sha256, url, headers: { "content-type": contentType } });
}

/** Streams a decoder's file; null if the bucket has none with this digest. */
export const readDecoder = async (
  { media }: Platform,
  sha256: string,
): Promise<ReadableStream<Uint8Array> | null> => await media.read(decoderKey(sha256));
