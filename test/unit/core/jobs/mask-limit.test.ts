import { expect, it } from "vitest";
import { mostMasks } from "../../../../src/core/jobs/mask-limit.ts";

it.each([
  [{ prompts: 1, tasks: 1, regions: 0 }, 200],
  [{ prompts: 3, tasks: 1, regions: 0 }, 600],
  [{ prompts: 1, tasks: 100, regions: 0 }, 200],
  [{ prompts: 2, tasks: 100, regions: 0 }, 300],
  [{ prompts: 50, tasks: 3, regions: 0 }, 10_000],
  [{ prompts: 51, tasks: 1, regions: 0 }, 10_000],
  [{ prompts: 100, tasks: 7, regions: 0 }, 4_285],
  [{ prompts: 0, tasks: 1, regions: 50 }, 0],
  [{ prompts: 1, tasks: 1, regions: 50 }, 200],
  [{ prompts: 2, tasks: 100, regions: 50 }, 250],
  [{ prompts: 51, tasks: 1, regions: 50 }, 9_950],
  [{ prompts: 2, tasks: 100, regions: 0, cutouts: true }, 150],
  [{ prompts: 2, tasks: 100, regions: 50, cutouts: true }, 100],
  [{ prompts: 50, tasks: 1, regions: 0, cutouts: true }, 10_000],
])("the prompts of a task of a job with %j have at most %i masks", (job, most) => {
  expect(mostMasks(job)).toBe(most);
});
