import { Counter, Gauge, Histogram, Registry } from "prom-client";

/**
 * The stages of a task. No time counts twice. A video's stages overlap: its `decode` is the wait for frames while the
 * model had none, its `infer` the wait for the model's results. `wait` is the rest between fetch and upload: waiting
 * for a place in an engine, and for the device while nothing else of the task ran.
 */
export type Stage = "queue" | "fetch" | "wait" | "decode" | "infer" | "post" | "encode" | "upload" | "commit";
export type StageTimes = Partial<Record<Stage, number>>;

/** Labels of the work; `device` is empty for a task that reached no engine. */
const WORK = ["device", "lane", "type"] as const;

const SECONDS = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100];

/** The service's metrics, in Prometheus's base units. */
export class Metrics {
  readonly #registry = new Registry();
  readonly stage = this.#histogram(
    "inference_stage_seconds",
    "Seconds a task spent in a stage",
    "stage",
    ...WORK,
  );
  readonly model = this.#histogram(
    "inference_model_seconds",
    "Seconds a task spent inside the model's own graphs",
    ...WORK,
  );
  readonly tasks = this.#counter(
    "inference_tasks_total",
    "Ended tasks by outcome; code says why a task failed or was dropped",
    "outcome",
    "code",
    ...WORK,
  );
  readonly refusals = this.#counter(
    "inference_refusals_total",
    "Refused submissions, by HTTP status",
    "status",
  );
  readonly featuresCached = this.#counter(
    "inference_features_cached_total",
    "Tasks whose picture features were cached, or computed for another task at the same time",
  );
  readonly engineRestarts = this.#counter(
    "inference_engine_restarts_total",
    "Restarts of a device's engine process",
    "device",
  );
  readonly deviceState = this.#gauge(
    "inference_device_state",
    "1 for a device's present state: ready, starting, unable or given_up",
    "device",
    "state",
  );
  readonly engineTasks = this.#gauge("inference_engine_jobs", "Tasks in a device's engine", "device");
  readonly modelInfo = this.#gauge(
    "inference_model_info",
    "1 for the loaded model, with the execution provider in actual use",
    "id",
    "version",
    "provider",
  );
  readonly queueDepth = this.#gauge(
    "inference_queue_depth",
    "Accepted tasks waiting for a place, by lane",
    "lane",
  );
  readonly inFlight = this.#gauge("inference_in_flight", "Tasks between fetch and commit");

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }
  #histogram<Label extends string = never>(name: string, help: string, ...labelNames: Label[]) {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.#registry] });
  }

  #counter<Label extends string = never>(name: string, help: string, ...labelNames: Label[]) {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge<Label extends string = never>(name: string, help: string, ...labelNames: Label[]) {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }
}
