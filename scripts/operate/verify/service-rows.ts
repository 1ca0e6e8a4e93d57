import { SegmentationError } from "segmentation-client/node";
import { ProtocolProbe } from "../../../src/operator/contract/operator.ts";
import { POOLS } from "../../../src/settings.ts";
import { probe } from "./probe.ts";
import { LeftOut, type Row, Wrong } from "./row.ts";
import { request, seconds, within, type World } from "./world.ts";

/** A longer wait for the inference service was a start. */
const STARTED_MS = 3_000;

const BIG_JOB = "the job of many pictures";

/** Rows about the service itself: it responds, knows its address and accepts the key. */
export const SERVICE_ROWS: readonly Row[] = [
  {
    name: "health",
    mend: "see that this is the service's URL; then look at the log (npx wrangler tail): settings_wrong names the settings that are missing or wrong",
    run: async (world) => {
      const response = await fetch(`${world.baseUrl}/healthz`, { signal: world.signal });
      const text = await response.text();
      if (response.status !== 200 || !text.includes('"ok"'))
        throw new Wrong(`/healthz answers ${response.status}: ${text.slice(0, 100)}`);
      return "/healthz answers 200";
    },
  },
  {
    name: "key",
    mend: "npm run admin -- create-account --email you@example.com --plan paid --remote prints one",
    run: async (world) => {
      const { access } = await world.client.api.getAccountOverview(undefined, options(world));
      const { mode, maxImageTasksPerJob } = access;
      if (mode !== "paid") throw new Wrong(`the account is ${mode}: ${BIG_JOB} needs one that is paid`);
      if (maxImageTasksPerJob < world.form.pictures)
        throw new Wrong(`a job may have ${maxImageTasksPerJob} pictures: too few for ${BIG_JOB}`);
      return `a paid account, up to ${maxImageTasksPerJob} pictures per job`;
    },
  },
  {
    name: "own address",
    mend: "set PUBLIC_URL to the address at which clients reach the service: the inference service calls it back there",
    run: async (world) => {
      // The service refuses to fetch from itself, which shows where it thinks it is.
      const code = await importRefusal(world, `${world.baseUrl}/healthz`);
      if (code !== "url_forbidden")
        throw new Wrong(
          `an import of ${world.baseUrl} ended with ${code}: the service does not take that for its own address`,
        );
      return `the service knows itself as ${world.baseUrl}`;
    },
  },
  {
    name: "model",
    mend: "start the inference service, and see that INFERENCE_URL and INFERENCE_TOKEN are its own; model_unavailable in the log says why (protocol_mismatch: deploy matching versions, docs/operations/maintenance.md#upgrades)",
    run: async (world) => {
      const { form, signal } = world;
      const begun = Date.now();
      const isOver = () => Date.now() - begun >= form.coldStartMs;
      const model = await within(
        form.coldStartMs,
        () =>
          world.client.api.retrieveModel(undefined, options(world)).catch((error: unknown) => {
            if (error instanceof SegmentationError && error.code === "model_unavailable" && !isOver())
              return null;
            throw error;
          }),
        signal,
      );
      if (model === null) throw new Wrong(`no model within ${seconds(form.coldStartMs)}`);
      return `${model.id} ${model.version}${startedAfter(begun)}`;
    },
  },
  ...POOLS.map((name): Row => ({
    name: `pool ${name}`,
    mend:
      name === "container"
        ? "see container_not_started in the log, and the container's own log in Cloudflare's dashboard; right after a first deployment, try again in some minutes"
        : "start the inference service, and see that the Worker reaches it (docs/operations/inference.md)",
    run: (world) => poolRow(world, name),
  })),
];

const startedAfter = (begun: number): string => {
  const ms = Date.now() - begun;
  return ms < STARTED_MS ? "" : `, after a start of ${seconds(ms)}`;
};

/** Waits until a pool takes tasks. A container starts for it. */
async function poolRow(world: World, name: string): Promise<string> {
  const begun = Date.now();
  let reason = "";
  const ready = await within(
    world.form.coldStartMs,
    async () => {
      const { pools } = ProtocolProbe.parse(await probe(world, "protocol"));
      const pool = pools.find((each) => each.name === name);
      if (pool === undefined) throw new LeftOut("it is not configured");
      reason = pool.away ?? "";
      return pool.away === null ? pool : null;
    },
    world.signal,
  );
  if (ready === null) throw new Wrong(`it takes no task: ${reason}`);
  return `${ready.model ?? "it takes tasks"}${startedAfter(begun)}`;
}

const options = ({ signal }: World) => ({ signal });

/** The code with which the service refuses an import; "success" if it does not. Its upload is deleted later. */
export async function importRefusal(world: World, url: string): Promise<string> {
  const response = await request(world, "POST", "/v1/uploads/import", { body: { url } });
  const answer: unknown = await response.json();
  if (typeof answer !== "object" || answer === null) return `status ${response.status}`;
  if ("taskId" in answer) world.made.uploads.add(String(answer.taskId));
  return "error" in answer ? String(answer.error) : "success";
}
