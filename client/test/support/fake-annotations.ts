import type { Hono } from "hono";
import { ReplaceJobAnnotationsRequest } from "../../../src/jobs/contract/annotations.ts";
import {
  etagOf,
  savedAnnotations,
  type StoredAnnotations,
  versionOf,
} from "../../../src/jobs/rules/annotations.ts";
import { CREATED_AT, type Job, refuse } from "./fake-answers.ts";

const NONE = { format: 1, classes: [], nextClassId: 1, searches: [], tasks: [] };

/** The fake service's annotations, saved by the service's own rules. */
export function fakeAnnotations(app: Hono, jobs: ReadonlyMap<string, Job>): void {
  const stored = new Map<string, StoredAnnotations>();
  app.get("/v1/jobs/:jobId/annotations", (c) => {
    const { version = 0, json } = stored.get(c.req.param("jobId")) ?? {};
    const document: unknown = json === undefined ? NONE : JSON.parse(new TextDecoder().decode(json));
    c.header("etag", etagOf(version));
    return c.json({ version, updatedAt: version === 0 ? null : CREATED_AT, document });
  });
  app.put("/v1/jobs/:jobId/annotations", async (c) => {
    const jobId = c.req.param("jobId");
    const base = versionOf(c.req.header("if-match"));
    if (base === null) return refuse(c, "version_required");
    const { document } = ReplaceJobAnnotationsRequest.parse(await c.req.json());
    const { nextClassId, tasks } = document;
    const saved = savedAnnotations(
      stored.get(jobId) ?? null,
      base,
      {
        json: new TextEncoder().encode(JSON.stringify(document)),
        nextClassId,
        taskIds: tasks.map(({ taskId }) => taskId),
      },
      { jobTasks: jobs.get(jobId)?.request.tasks ?? [], now: 0 },
    );
    if (saved.at === "refused") return refuse(c, "annotations_refused");
    const version = saved.at === "conflict" ? saved.version : saved.annotations.version;
    c.header("etag", etagOf(version));
    if (saved.at === "conflict") return refuse(c, "version_conflict");
    stored.set(jobId, saved.annotations);
    return c.json({ version, updatedAt: CREATED_AT });
  });
}
