import fc from "fast-check";
import { expect, it } from "vitest";
import { type KeptPrompts, withJob } from "../../../studio/src/work/kept-prompts.ts";

it("a tab keeps the latest prompts of the last 50 jobs that it made, the newest first", () => {
  const made = fc.array(fc.tuple(fc.nat(80).map(String), fc.array(fc.string())), { maxLength: 200 });
  fc.assert(
    fc.property(made, (jobs) => {
      const kept = jobs.reduce<KeptPrompts>((all, [id, prompts]) => withJob(all, id, prompts), []);
      const latest = new Map(jobs);
      const order = [...new Set(jobs.map(([id]) => id).toReversed())].slice(0, 50);
      expect(kept).toEqual(order.map((id) => [id, latest.get(id)]));
    }),
  );
});
