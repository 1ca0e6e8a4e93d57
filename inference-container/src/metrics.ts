import { Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * The stages of a task, with no time counted twice. A clip's stages overlap: its `decode` is the wait for frames while the
 * model had none, its `infer` the wait for the model's results. `wait` is the rest between fetch and upload: the wait for a
 * place in an engine, and for turns with its device while nothing else of the task ran.
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

/** The service's metrics, in Prometheus's base units. */
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
    help: "Ended tasks by outcome; code says why a task failed or was dropped",
    labelNames: ["outcome", "code"],
    ...this.#shared,
  });
  readonly refusals = new Counter({
    name: "inference_refusals_total",
    help: "Refused submissions, by HTTP status",
    labelNames: ["status"],
    ...this.#shared,
  });
  readonly featuresCached = new Counter({
    name: "inference_features_cached_total",
    help: "Tasks whose picture features were cached, or computed for another task at the same time",
    ...this.#shared,
  });
  readonly engineRestarts = new Counter({
    name: "inference_engine_restarts_total",
    help: "Restarts of a device's engine process",
    labelNames: ["device"],
    ...this.#shared,
  });
  readonly engineTasks = new Gauge({
    name: "inference_engine_jobs",
    help: "Tasks in a device's engine",
    labelNames: ["device"],
    ...this.#shared,
  });
  readonly modelInfo = new Gauge({
    name: "inference_model_info",
    help: "1 for the loaded model, with the execution provider in actual use",
    labelNames: ["id", "version", "provider"],
    ...this.#shared,
  });
  readonly queueDepth = new Gauge({
    name: "inference_queue_depth",
    help: "Accepted tasks waiting for a place, by lane",
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
