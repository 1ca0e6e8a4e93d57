/** Writes an inference request with binary tensors (Triton's extension `binary_tensor_data`). */
import { Lane } from "@segmentation/protocol";
import { clicksOf, type Region } from "@segmentation/masks";
import type { Picture, SegmentRequest } from "../model.ts";
import { inputsOf, OUTPUTS } from "./contract.ts";

/** Content of a request. */
export interface Asked extends Pick<SegmentRequest, "prompts" | "threshold" | "task"> {
  /** Three bytes per pixel, row by row. */
  readonly picture: Pick<Picture, "width" | "height" | "rgb">;
  /** SHA-256 of the encoded picture, hex; null for a frame, whose features are not kept. */
  readonly contentHash: string | null;
  /** The regions to draw, in the picture's pixels; absent if the model draws no regions. */
  readonly regions?: readonly Region[];
  /** After this time the answer is of no use. */
  readonly timeoutMs: number;
}

/** A request's body: a JSON object of `headerBytes`, then the tensors in the order of its inputs. */
export interface RequestBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headerBytes: number;
}

/**
 * The priority is 1 for the first lane, as in Triton's schedule policy; the timeout is in microseconds. Servers without
 * such a policy ignore both.
 */
export function writeRequest({
  picture,
  prompts,
  threshold,
  contentHash,
  regions,
  task,
  timeoutMs,
}: Asked): RequestBody {
  const { width, height, rgb } = picture;
  const clicks = (regions ?? []).flatMap((region, index) =>
    clicksOf(region).map(({ x, y, label }) => [index, x, y, label]),
  );
  const inputs = inputsOf(regions !== undefined);
  const tensors = {
    clicks: { shape: [clicks.length, 4], bytes: new Uint8Array(Float32Array.from(clicks.flat()).buffer) },
    image: { shape: [height, width, 3], bytes: rgb },
    prompts: { shape: [prompts.length], bytes: elements(prompts) },
    threshold: { shape: [1], bytes: new Uint8Array(Float32Array.of(threshold).buffer) },
    content_hash: { shape: [1], bytes: elements([contentHash ?? ""]) },
  };
  const header = Buffer.from(
    JSON.stringify({
      ...(task !== undefined && { id: task.key }),
      parameters: {
        ...(task !== undefined && { priority: Lane.options.indexOf(task.lane) + 1 }),
        timeout: Math.round(timeoutMs * 1_000),
      },
      inputs: inputs.map(({ name, datatype }) => ({
        name,
        datatype,
        shape: tensors[name].shape,
        parameters: { binary_data_size: tensors[name].bytes.length },
      })),
      outputs: OUTPUTS.map(({ name }) => ({ name, parameters: { binary_data: true } })),
    }),
  );
  const bytes = Buffer.concat([header, ...inputs.map(({ name }) => tensors[name].bytes)]);
  return { bytes, headerBytes: header.length };
}

/** A tensor of BYTES: each element is its length in 4 bytes, then its UTF-8. */
function elements(texts: readonly string[]): Uint8Array {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.length);
      return [length, bytes];
    }),
  );
}
