import type { MaskSource } from "../types.ts";
import { type Answer, type Request, ShownMasks } from "./index-map.ts";
import { decodeMask } from "./packed.ts";

// Decodes masks and draws the index map, so that the page stays smooth meanwhile.

type Show = Extract<Request, { type: "show" }>;

/** While many masks arrive one after another, those so far are shown at this interval, in ms. */
const SHOW_EVERY_MS = 60;

const shown = new ShownMasks();
const waiting = new Map<string, MaskSource>();
let isDecoding = false;
let wanted: Show | null = null;

const answer = (message: Answer, transfer: Transferable[] = []): void => postMessage(message, { transfer });

function show(): void {
  if (wanted === null) return;
  const { patch, missing } = shown.show(wanted);
  const whole = !missing.some((key) => waiting.has(key));
  answer({ type: "shown", turn: wanted.turn, whole, patch }, patch === null ? [] : [patch.indexes.buffer]);
  if (whole) wanted = null;
}

/** Decodes one mask after the other; a request that comes meanwhile is heard in between. */
async function decodeAll(): Promise<void> {
  isDecoding = true;
  let last = performance.now();
  for (let [next] = waiting; next !== undefined; [next] = waiting) {
    const [key, source] = next;
    const decoded = await decode(key, source);
    // It may have been forgotten meanwhile, or be another one now.
    if (waiting.get(key) === source) {
      waiting.delete(key);
      if (decoded.type === "decoded") shown.keep(key, decoded.mask);
      answer(decoded);
    }
    if (performance.now() - last < SHOW_EVERY_MS && waiting.size > 0) continue;
    show();
    last = performance.now();
  }
  isDecoding = false;
}

async function decode(key: string, source: MaskSource): Promise<Answer> {
  try {
    return { type: "decoded", key, mask: await decodeMask(source) };
  } catch {
    return { type: "damaged", key };
  }
}

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  switch (data.type) {
    case "open":
      waiting.clear();
      wanted = null;
      shown.open(data);
      break;
    case "decode":
      waiting.set(data.key, data.source);
      if (!isDecoding) void decodeAll();
      break;
    case "forget":
      for (const key of data.keys) waiting.delete(key);
      shown.forget(data.keys);
      break;
    case "show":
      wanted = data;
      // A mask that replaces another one is there at once: until then the other one is seen.
      if (waiting.size !== 1 || !isDecoding) show();
  }
});
