/** A service with one engine, and requests after a picture or a video among others has ended that engine. */
import { type Rig, until } from "./running-service.ts";

export const TWELVE = { IN_FLIGHT: "12" };

export const metrics = async (rig: Rig): Promise<string> =>
  (await fetch(`${rig.service.url}/metrics`)).text();
/** The number of times that the engine has ended. */
export const ends = async (rig: Rig): Promise<number> =>
  Number(/inference_engine_restarts_total\{device="cpu"\} (\d+)/.exec(await metrics(rig))?.[1]);
export const inFlight = (rig: Rig, count: number): Promise<void> =>
  until(async () => (await metrics(rig)).includes(`inference_in_flight ${count}\n`));
/** Each task's only report: its outcome. */
export const outcomes = (rig: Rig, keys: readonly string[]): (string | undefined)[][] =>
  keys.map((key) => (rig.worker.completions.get(key) ?? []).map(({ outcome }) => outcome));
export const CRASHED = { outcome: "failed", retryable: true, problem: { code: "engine_crashed" } };
/** The keys of the other tasks in the engine. */
export const bystanders = Array.from({ length: 10 }, (_, i) => `bystander-${i}`);
/** Offers slow pictures until each is accepted, as the Worker does: a restarting engine accepts none. */
export const slowly = (rig: Rig, keys: readonly string[]): ReturnType<Rig["finish"]>[] =>
  keys.map(async (key) => {
    const request = rig.worker.request({ key, prompts: ["slow"] });
    await until(async () => (await rig.post(request)).status === 202);
    return rig.worker.completed(key);
  });
