/** What a graph's file says about itself, without a manifest. */
import { join } from "node:path";
import { InferenceSession } from "onnxruntime-node";
import { messageOf } from "../error-message.ts";
import type { GraphNames } from "./describe-folder.ts";
import { ModelFolderError } from "./folder-error.ts";

export interface GraphSignature extends GraphNames {
  /** ONNX Runtime's name for each tensor's element type, by tensor name. */
  readonly types: ReadonlyMap<string, string>;
}

/**
 * Opens a graph on the CPU, without optimisation, and reads the names and types of its tensors.
 * @throws ModelFolderError if ONNX Runtime can't open the file
 */
export async function readSignature(folder: string, file: string): Promise<GraphSignature> {
  const session = await InferenceSession.create(join(folder, file), {
    graphOptimizationLevel: "disabled",
  }).catch((error: unknown) => {
    const reason = messageOf(error);
    throw new ModelFolderError(`The graph ${file} in ${folder} can't be opened: ${reason}`);
  });
  const tensors = [...session.inputMetadata, ...session.outputMetadata];
  const types = tensors.flatMap((tensor) => (tensor.isTensor ? [[tensor.name, tensor.type] as const] : []));
  const signature = {
    file,
    inputs: session.inputNames,
    outputs: session.outputNames,
    types: new Map<string, string>(types),
  };
  await session.release();
  return signature;
}
