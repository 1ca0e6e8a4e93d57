import { Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * The steps of a task, none counted twice: of a clip, whose steps overlap, `decode` is the wait for frames while the model
 * had none, and `infer` the wait for its results. `wait` is what is left between fetch and upload: for a place in an
 * engine, and for turns with its device while nothing else of the task went on.
 */
export const STAGES = [
  "queue",
  "fetch",
  "wait",
  "decode",
  "infer",
  "post",
  "encode",
  "upload",
  "commit",
] as const;
export type Stage = (typeof STAGES)[number];
export type StageTimes = Partial<Record<Stage, number>>;

const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];

/** What the service counts, in Prometheus' units. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #shared = { registers: [this.#registry] };
  readonly stage = new Histogram({
    name: "inference_stage_seconds",
    help: "Seconds a task spent in a stage",
    labelNames: ["stage"],
    buckets: SECONDS,
    ...this.#shared,
  });
  readonly model = new Histogram({
    name: "inference_model_seconds",
    help: "Seconds a task spent inside the model's own graphs",
    buckets: SECONDS,
    ...this.#shared,
  });
  readonly tasks = new Counter({
    name: "inference_tasks_total",
    help: "Tasks by how they ended; code names a failure",
    labelNames: ["outcome", "code"],
    ...this.#shared,
  });
  readonly refusals = new Counter({
    name: "inference_refusals_total",
    help: "Submissions that were turned away, by HTTP status",
    labelNames: ["status"],
    ...this.#shared,
  });
  readonly featuresCached = new Counter({
    name: "inference_features_cached_total",
    help: "Tasks whose picture features were remembered, or computed for another task at the same time",
    ...this.#shared,
  });
  readonly engineRestarts = new Counter({
    name: "inference_engine_restarts_total",
    help: "How often a device's engine process had to be started again",
    labelNames: ["device"],
    ...this.#shared,
  });
  readonly engineTasks = new Gauge({
    name: "inference_engine_jobs",
    help: "Tasks that a device's engine has",
    labelNames: ["device"],
    ...this.#shared,
  });
  readonly modelInfo = new Gauge({
    name: "inference_model_info",
    help: "1 for the model that is ready, on the execution provider that is really in use",
    labelNames: ["id", "version", "provider"],
    ...this.#shared,
  });
  readonly queueDepth = new Gauge({
    name: "inference_queue_depth",
    help: "Accepted tasks that wait for a place, by lane",
    labelNames: ["lane"],
    ...this.#shared,
  });
  readonly inFlight = new Gauge({
    name: "inference_in_flight",
    help: "Tasks between fetch and commit",
    ...this.#shared,
  });

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }
}
