import { graph, type Row } from "./grafana.ts";

/** The graphs of the inference service's dashboard, from its metrics. Its alerts are in the operator's guide. */
export const INFERENCE_ROWS: readonly Row[] = [
  {
    heading: "Work",
    panels: [
      graph("Waiting tasks by lane", "short", "sum by (lane) (inference_queue_depth)"),
      graph("Tasks in flight", "short", "sum(inference_in_flight)"),
      graph("Tasks ended per minute", "short", "60 * sum by (outcome) (rate(inference_tasks_total[5m]))"),
      graph(
        "Failed tasks by code",
        "short",
        'sum by (code) (increase(inference_tasks_total{outcome="failed"}[15m]))',
      ),
      graph(
        "Failed tasks by device",
        "short",
        'sum by (device) (increase(inference_tasks_total{outcome="failed"}[15m]))',
      ),
      graph("Refused offers by status", "short", "sum by (status) (increase(inference_refusals_total[15m]))"),
    ],
  },
  {
    heading: "Engines",
    panels: [
      graph(
        "Seconds of a stage (95th percentile)",
        "s",
        "histogram_quantile(0.95, sum by (le, stage) (rate(inference_stage_seconds_bucket[15m])))",
      ),
      graph(
        "Seconds in the model (95th percentile)",
        "s",
        "histogram_quantile(0.95, sum by (le, device) (rate(inference_model_seconds_bucket[15m])))",
      ),
      graph("Devices by state", "short", "sum by (state) (inference_device_state)"),
      graph("Engine restarts", "short", "sum by (device) (increase(inference_engine_restarts_total[15m]))"),
      graph("Loaded model", "short", "sum by (id, version, provider) (inference_model_info)"),
    ],
  },
];
