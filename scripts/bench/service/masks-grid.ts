import type { LogitGrid } from "../../../inference-container/src/models/model.ts";

/** Samples per side, as in the embedded model's masks. */
const SIDE = 256;

/** An ellipse with a wavy outline over a third of the picture; logits from -20 to 20. */
export function wavyEllipse(): LogitGrid {
  const logits = Float32Array.from({ length: SIDE * SIDE }, (_, at) => {
    const x = (((at % SIDE) + 0.5) / SIDE - 0.36) / 0.26;
    const y = ((Math.floor(at / SIDE) + 0.5) / SIDE - 0.52) / 0.4;
    const outline = 0.9 + 0.1 * Math.sin(9 * Math.atan2(y, x));
    return Math.max(20 * (outline - Math.hypot(x, y)), -20);
  });
  return { width: SIDE, height: SIDE, logits };
}
