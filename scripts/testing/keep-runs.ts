import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { threadId } from "node:worker_threads";
import { deserialize, serialize } from "node:v8";
import { InferenceSession, Tensor } from "../../inference-container/src/onnx/runtime.ts";
import { z } from "zod";

/** The most expensive graphs of the embedded model. Those of tests are cheap, and have other names. */
const KEPT_GRAPHS: ReadonlySet<string> = new Set([
  "sam2-encoder.onnx",
  "sam2-encoder-int8.onnx",
  "detector.onnx",
]);

type Declared = Pick<InferenceSession, "inputMetadata" | "outputMetadata">;

const Kept = z.record(z.string(), z.object({ dims: z.array(z.number()), data: z.instanceof(Float32Array) }));

/**
 * Keeps the runs of these graphs in this thread in `folder` from now on, and reads known ones from there. Loads a graph whose
 * tensors' names are kept, too, only for a new input.
 */
export function keepRuns(folder: string): void {
  const create = InferenceSession.create.bind(InferenceSession);
  type Model = string | Uint8Array;
  Reflect.set(InferenceSession, "create", async (model: Model, options: InferenceSession.SessionOptions) => {
    // A graph that is passed as bytes is small.
    if (typeof model !== "string") return create(model, options);
    const graph = basename(model);
    if (!KEPT_GRAPHS.has(graph)) return create(model, options);
    let session: Promise<InferenceSession> | null = null;
    const load = () => (session ??= create(model, options));
    // A graph that these options refuse is refused in the next process, too.
    const { executionProviders, extra } = options;
    const way = createHash("sha1")
      .update(JSON.stringify([executionProviders, extra]))
      .digest("hex");
    const declared = await declaredBy(join(folder, `${graph}-by-${way}`), load);
    return {
      ...declared,
      run: async (feeds: InferenceSession.FeedsType, outputs: string[]) => {
        const file = join(folder, `${graph}-${digestOf(feeds, outputs)}`);
        const kept = readKept(file);
        if (kept !== null) return kept;
        const results = await (await load()).run(feeds, outputs);
        keep(file, results);
        return results;
      },
      release: async () => (await session)?.release(),
    };
  });
}

/** Returns the session's declaration of its graph's tensors. */
async function declaredBy(file: string, load: () => Promise<InferenceSession>): Promise<Declared> {
  const kept = readIfThere(file);
  if (kept !== null) return deserialize(kept);
  const { inputMetadata, outputMetadata } = await load();
  const declared = { inputMetadata, outputMetadata };
  writeWhole(file, serialize(declared));
  return declared;
}

function digestOf(feeds: InferenceSession.FeedsType, outputs: readonly string[]): string {
  const hash = createHash("sha1").update(JSON.stringify(outputs));
  for (const [name, { dims, type, data }] of Object.entries(feeds)) {
    hash.update(JSON.stringify([name, type, dims]));
    if (ArrayBuffer.isView(data)) hash.update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return hash.digest("hex");
}

function readKept(file: string): InferenceSession.ReturnType | null {
  const bytes = readIfThere(file);
  if (bytes === null) return null;
  const kept = Object.entries(Kept.parse(deserialize(bytes)));
  // Copied, because the device transfers each tensor's memory.
  return Object.fromEntries(
    kept.map(([name, { dims, data }]) => [name, new Tensor(new Float32Array(data), dims)]),
  );
}

function keep(file: string, results: InferenceSession.ReturnType): void {
  const kept = Object.entries(results).map(([name, { dims, data }]) => [name, { dims, data }] as const);
  writeWhole(file, serialize(Object.fromEntries(kept)));
}

function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}

/** Writes a file completely or not at all: another process may be reading. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const part = `${file}.${process.pid}.${threadId}`;
  writeFileSync(part, bytes);
  renameSync(part, file);
}
