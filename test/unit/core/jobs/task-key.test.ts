import fc from "fast-check";
import { expect, it } from "vitest";
import { taskKey } from "../../../../src/core/jobs/task-key.ts";
import { TaskKey } from "@segmentation/protocol";

it("gives each lease of each task a key of its own, in the form that the protocol accepts", () => {
  const jobId = fc.stringMatching(/^job_[0-9a-f]{32}$/);
  const taskId = fc.uuid().map((uuid) => `${uuid}.png`);
  const lease = fc.record({ jobId, taskId, lease: fc.integer({ min: 1 }) });
  fc.assert(
    fc.property(
      fc.uniqueArray(lease, { maxLength: 10, selector: (each) => JSON.stringify(each) }),
      (leases) => {
        const keys = leases.map((each) => taskKey(each.jobId, each.taskId, each.lease));
        expect(new Set(keys).size).toBe(leases.length);
        for (const key of keys) expect(TaskKey.safeParse(key).success).toBe(true);
      },
    ),
  );
  const keys = [
    taskKey("job_1", "a.png", 1),
    taskKey("job_1", "a.png", 2),
    taskKey("job_1", "b.png", 1),
    taskKey("job_2", "a.png", 1),
  ];
  expect(new Set(keys).size).toBe(4);
});
