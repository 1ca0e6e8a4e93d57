/** A device on which every graph takes as long as it is told to, and nothing else. */
import { parentPort } from "node:worker_threads";
import { serve, type Session } from "../../../inference-container/src/device/serve.ts";

const gate = new Int32Array(new SharedArrayBuffer(4));

const waiting: Session = {
  signature: { inputs: [], outputs: [] },
  run: ({ ms }) => {
    const [cost = 0] = new Float32Array(ms?.bytes.slice().buffer ?? new ArrayBuffer(0));
    if (cost > 0) Atomics.wait(gate, 0, 0, cost);
    return Promise.resolve({});
  },
  release: () => Promise.resolve(),
};

if (parentPort !== null) serve(parentPort, () => Promise.resolve(waiting));
