import { measureMask, packMask, readMaskPng, unpackMask, writeGreyPng } from "@segmentation/masks";
import * as onnx from "onnxruntime-web/wasm";
import { type InteractivePicture, MaskDecoder } from "segmentation-client/interactive";
import type { DecodeAnswer, Decoded, DecodeRequest, Decoding, Embedded } from "./messages.ts";

// Draws masks with the model's decoder, so that the page stays smooth meanwhile.

// Several threads need headers that would keep files of other origins out of the studio.
onnx.env.wasm.numThreads = 1;

let decoder: MaskDecoder | null = null;
let opened: { readonly taskId: string; readonly picture: InteractivePicture } | null = null;

async function open({ taskId, embedding }: Embedded): Promise<InteractivePicture> {
  if (decoder === null) throw new Error("There is no decoder.");
  if (opened?.taskId !== taskId) {
    opened = null;
    opened = { taskId, picture: decoder.open(new Uint8Array(await embedding.arrayBuffer())) };
  }
  return opened.picture;
}

async function decode(picture: InteractivePicture, { region, prior }: Decoding): Promise<Decoded> {
  const { mask, confidence } = await picture.decode({
    ...("points" in region ? { points: region.points } : { box: region.box }),
    ...(prior !== null && {
      prior: unpackMask(await readMaskPng(new Uint8Array(await prior.arrayBuffer()))),
    }),
  });
  const packed = packMask(mask);
  const { area } = measureMask(packed);
  const { width, height } = mask;
  return { png: await writeGreyPng({ ...packed, bits: 1 }), width, height, area, confidence };
}

/** The shortest module: it compiles unless the browser or a policy forbids WebAssembly. */
const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

async function mayCompile(): Promise<boolean> {
  try {
    await WebAssembly.compile(EMPTY_MODULE);
    return true;
  } catch {
    return false;
  }
}

async function obey(request: DecodeRequest): Promise<Decoded | null> {
  if (request.type === "load") {
    decoder = await MaskDecoder.load(onnx, request.decoder, { executionProviders: ["wasm"] });
    return null;
  }
  const picture = await open(request);
  return request.type === "open" ? null : await decode(picture, request);
}

async function answer(request: DecodeRequest): Promise<void> {
  let message: DecodeAnswer;
  try {
    message = { done: await obey(request) };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    message = { failure, isLasting: request.type === "load" && !(await mayCompile()) };
  }
  postMessage(message);
}

let last = Promise.resolve();

addEventListener("message", ({ data }: MessageEvent<DecodeRequest>) => {
  last = last.then(async () => await answer(data));
});
