/** The format of a graph's numbers, by Grafana's names of units. */
type PanelUnit = "ms" | "s" | "bytes" | "short" | "percent";

/** The condition of an alert, and the remedy: sentences for the operator's guide. */
interface Alarm {
  readonly when: string;
  readonly means: string;
  readonly todo: string;
}

/** One graph of a dashboard. */
interface Panel {
  readonly title: string;
  readonly unit: PanelUnit;
  readonly query: string;
  readonly alarm?: Alarm;
}

/** @param query in the language of the dashboard's data source */
export const graph = (title: string, unit: PanelUnit, query: string, alarm?: Alarm): Panel => ({
  title,
  unit,
  query,
  ...(alarm && { alarm }),
});

/** Graphs under a heading. */
export interface Row {
  readonly heading: string;
  readonly panels: readonly Panel[];
}

/** A data source's plugin, and a query in its format. */
interface Source {
  readonly plugin: string;
  readonly target: (query: string) => object;
}

/** Cloudflare's SQL API, by the plugin that its documentation names. */
export const ANALYTICS_ENGINE: Source = {
  plugin: "vertamedia-clickhouse-datasource",
  target: (query) => ({
    query,
    rawQuery: true,
    format: "time_series",
    dateTimeType: "DATETIME",
    dateTimeColDataType: "timestamp",
    round: "0s",
    intervalFactor: 1,
    extrapolate: false,
    skip_comments: true,
  }),
};

export const PROMETHEUS: Source = {
  plugin: "prometheus",
  target: (query) => ({ expr: query, range: true, editorMode: "code" }),
};

const WIDTH = 24;
const PANELS_A_LINE = 3;
const HEIGHT = 8;

function panelOf({ title, unit, query }: Panel, source: Source, id: number, x: number, y: number): object {
  const datasource = { type: source.plugin, uid: "${source}" };
  return {
    id,
    type: "timeseries",
    title,
    datasource,
    gridPos: { x, y, w: WIDTH / PANELS_A_LINE, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
    targets: [{ refId: "A", datasource, ...source.target(query) }],
  };
}

/** A dashboard as Grafana imports it; the data source is chosen at its head. */
export function dashboardOf(uid: string, title: string, source: Source, rows: readonly Row[]): object {
  const panels: object[] = [];
  let y = 0;
  for (const { heading, panels: ofRow } of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title: heading,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
    });
    y += 1;
    for (const [i, panel] of ofRow.entries()) {
      const x = (i % PANELS_A_LINE) * (WIDTH / PANELS_A_LINE);
      panels.push(panelOf(panel, source, panels.length + 1, x, y + Math.floor(i / PANELS_A_LINE) * HEIGHT));
    }
    y += Math.ceil(ofRow.length / PANELS_A_LINE) * HEIGHT;
  }
  return {
    uid,
    title,
    schemaVersion: 39,
    editable: true,
    refresh: "1m",
    time: { from: "now-24h", to: "now" },
    templating: {
      list: [{ name: "source", label: "Data source", type: "datasource", query: source.plugin, hide: 0 }],
    },
    panels,
  };
}
