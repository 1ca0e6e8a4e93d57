import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { threadId } from "node:worker_threads";
import { deserialize, serialize } from "node:v8";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { z } from "zod";

/** The graphs of the embedded model that cost most. Planted ones are cheap, and have other names. */
const KEPT_GRAPHS: ReadonlySet<string> = new Set(["sam2-encoder.ort", "detector.onnx"]);

const Kept = z.record(z.string(), z.object({ dims: z.array(z.number()), data: z.instanceof(Float32Array) }));

/** From now on the runs of these graphs in this thread are kept in `folder`, and read from there if they are. */
export function keepRuns(folder: string): void {
  const create = InferenceSession.create.bind(InferenceSession);
  Reflect.set(InferenceSession, "create", async (path: string, options: InferenceSession.SessionOptions) => {
    const session = await create(path, options);
    const graph = basename(path);
    if (!KEPT_GRAPHS.has(graph)) return session;
    const run = session.run.bind(session);
    Reflect.set(session, "run", async (feeds: InferenceSession.FeedsType, outputs: string[]) => {
      const file = join(folder, `${graph}-${digestOf(feeds, outputs)}`);
      const kept = readKept(file);
      if (kept !== null) return kept;
      const results = await run(feeds, outputs);
      keep(file, results);
      return results;
    });
    return session;
  });
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
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return null;
  }
  const kept = Object.entries(Kept.parse(deserialize(bytes)));
  // Copied, because the device hands each tensor's memory on as a whole.
  return Object.fromEntries(
    kept.map(([name, { dims, data }]) => [name, new Tensor(new Float32Array(data), dims)]),
  );
}

/** Written whole or not at all: another process may be reading. */
function keep(file: string, results: InferenceSession.ReturnType): void {
  const kept = Object.entries(results).map(([name, { dims, data }]) => [name, { dims, data }] as const);
  const part = `${file}.${process.pid}.${threadId}`;
  writeFileSync(part, serialize(Object.fromEntries(kept)));
  renameSync(part, file);
}
