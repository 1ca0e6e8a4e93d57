/** How a graph writes its numbers, by Grafana's names of units. */
type PanelUnit = "ms" | "s" | "bytes" | "short";

/** When an operator should be told, and what to do then: sentences for the operator's guide. */
interface Alarm {
  readonly when: string;
  readonly means: string;
  readonly todo: string;
}

/** One graph of a dashboard. */
export interface Panel {
  readonly title: string;
  readonly unit: PanelUnit;
  readonly query: string;
  readonly alarm?: Alarm;
}

/** Graphs under a heading. */
export interface Row {
  readonly heading: string;
  readonly panels: readonly Panel[];
}
