import type { Row } from "./panel.ts";

/** What the dashboard of the inference service shows, from its own metrics. Its alerts are in the operator's guide. */
export const INFERENCE_ROWS: readonly Row[] = [
  {
    heading: "Work",
    panels: [
      {
        title: "Waiting tasks by lane",
        unit: "short",
        query: "sum by (lane) (inference_queue_depth)",
      },
      { title: "Tasks in flight", unit: "short", query: "sum(inference_in_flight)" },
      {
        title: "Tasks ended per minute",
        unit: "short",
        query: "60 * sum by (outcome) (rate(inference_tasks_total[5m]))",
      },
      {
        title: "Failed tasks by code",
        unit: "short",
        query: 'sum by (code) (increase(inference_tasks_total{outcome="failed"}[15m]))',
      },
      {
        title: "Refused offers by status",
        unit: "short",
        query: "sum by (status) (increase(inference_refusals_total[15m]))",
      },
    ],
  },
  {
    heading: "Engines",
    panels: [
      {
        title: "Seconds of a stage (95th percentile)",
        unit: "s",
        query: "histogram_quantile(0.95, sum by (le, stage) (rate(inference_stage_seconds_bucket[15m])))",
      },
      {
        title: "Seconds in the model (95th percentile)",
        unit: "s",
        query: "histogram_quantile(0.95, sum by (le) (rate(inference_model_seconds_bucket[15m])))",
      },
      {
        title: "Engine restarts",
        unit: "short",
        query: "sum by (device) (increase(inference_engine_restarts_total[15m]))",
      },
      {
        title: "Loaded model",
        unit: "short",
        query: "sum by (id, version, provider) (inference_model_info)",
      },
    ],
  },
];
