/** A device thread whose run takes the time in its input. */
import { parentPort } from "node:worker_threads";
import { serve, type Session } from "../../../inference-container/src/device/serve.ts";

const gate = new Int32Array(new SharedArrayBuffer(4));

const waiting: Session = {
  signature: { inputs: [{ name: "ms", type: "float32", shape: ["batch"] }], outputs: [] },
  run: ({ ms }) => {
    const cost = Math.max(0, ...new Float32Array(ms?.bytes.slice().buffer ?? new ArrayBuffer(0)));
    if (cost > 0) Atomics.wait(gate, 0, 0, cost);
    return Promise.resolve({});
  },
  release: () => Promise.resolve(),
};

if (parentPort !== null) serve(parentPort, () => Promise.resolve(waiting));
