import { expect, it } from "vitest";
import { mostMasks } from "../../../src/core/mask-limit.ts";

it.each([
  [{ prompts: 1, tasks: 1 }, 200],
  [{ prompts: 3, tasks: 1 }, 600],
  [{ prompts: 1, tasks: 100 }, 200],
  [{ prompts: 2, tasks: 100 }, 300],
  [{ prompts: 50, tasks: 3 }, 10_000],
  [{ prompts: 51, tasks: 1 }, 10_000],
  [{ prompts: 100, tasks: 7 }, 4_285],
  [{ prompts: 2, tasks: 100, cutouts: true }, 150],
  [{ prompts: 50, tasks: 1, cutouts: true }, 10_000],
])("a task of a job with %j has at most %i masks", (job, most) => {
  expect(mostMasks(job)).toBe(most);
});
