/** A service with one engine, and what to ask of it after a picture or a clip among others has ended that engine. */
import { type Rig, until } from "./running-service.ts";

export const TWELVE = { IN_FLIGHT: "12" };

export const metrics = async (rig: Rig): Promise<string> =>
  (await fetch(`${rig.service.url}/metrics`)).text();
/** How often the engine has ended. */
export const ends = async (rig: Rig): Promise<number> =>
  Number(/inference_engine_restarts_total\{device="cpu"\} (\d+)/.exec(await metrics(rig))?.[1]);
export const inFlight = (rig: Rig, count: number): Promise<void> =>
  until(async () => (await metrics(rig)).includes(`inference_in_flight ${count}\n`));
/** Each task's only report: its outcome. */
export const outcomes = (rig: Rig, keys: readonly string[]): (string | undefined)[][] =>
  keys.map((key) => (rig.worker.completions.get(key) ?? []).map(({ outcome }) => outcome));
export const CRASHED = { outcome: "failed", retryable: true, problem: { code: "engine_crashed" } };
/** The keys of the tasks beside it. */
export const bystanders = Array.from({ length: 10 }, (_, i) => `bystander-${i}`);
/** Offers pictures that have the device for a while until each is taken, as the Worker does: while the engine starts anew none is. */
export const slowly = (rig: Rig, keys: readonly string[]): ReturnType<Rig["finish"]>[] =>
  keys.map(async (key) => {
    const request = rig.worker.request({ key, prompts: ["slow"] });
    await until(async () => (await rig.post(request)).status === 202);
    return rig.worker.completed(key);
  });
