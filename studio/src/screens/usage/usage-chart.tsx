import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { counted, dateText, numberText } from "../../text/format.ts";
import { type Bar, labelledBars, marksFor } from "./days.ts";
import "./usage-chart.css";

const HEIGHT = 240;
/** Room for the marks' numbers at the left, for the dates below, and for half a number above. */
const EDGE = { left: 44, right: 4, top: 10, bottom: 28 };
const LABEL_WIDTH = 76;
/** The share of its place that a bar is wide. */
const BAR_SHARE = 0.72;
const WIDEST_BAR = 28;

const shortDate = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const dayText = (date: string): string => shortDate.format(Date.parse(date));

/** A bar in words. */
const wordsOf = ({ first, last, units, jobs }: Bar): string =>
  `${first === last ? dateText(first) : `${dayText(first)} to ${dateText(last)}`}: ${counted(units, "unit")}, ${counted(jobs, "job")}`;

/** The use of a period as bars. The arrow keys go from bar to bar; the text of a bar is above it. */
export default function UsageChart({ bars }: { readonly bars: readonly Bar[] }) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const chosen = useSignal<number | null>(null);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => (width.value = entry?.contentRect.width ?? 0));
    if (frame.current !== null) observer.observe(frame.current);
    return () => observer.disconnect();
  }, [width]);
  const marks = marksFor(Math.max(...bars.map(({ units }) => units)));
  const highest = marks.at(-1) ?? 1;
  const inner = {
    width: Math.max(0, width.value - EDGE.left - EDGE.right),
    height: HEIGHT - EDGE.top - EDGE.bottom,
  };
  const place = inner.width / bars.length;
  const barWidth = Math.min(WIDEST_BAR, Math.max(1, place * BAR_SHARE));
  const yOf = (units: number): number => EDGE.top + inner.height * (1 - units / highest);
  const middleOf = (index: number): number => EDGE.left + place * (index + 0.5);
  const labelled = labelledBars(bars.length, inner.width, LABEL_WIDTH);
  const last = bars.length - 1;
  const steps: Partial<Record<string, (at: number) => number>> = {
    ArrowLeft: (at) => at - 1,
    ArrowRight: (at) => at + 1,
    PageUp: (at) => at - WEEK_STEP,
    PageDown: (at) => at + WEEK_STEP,
    Home: () => 0,
    End: () => last,
  };
  const at = chosen.value === null ? undefined : bars[chosen.value];
  return (
    <div
      ref={frame}
      class="usage-chart"
      role="slider"
      tabIndex={0}
      aria-label="Usage over time; use the arrow keys to move through it"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={chosen.value ?? last}
      aria-valuetext={wordsOf(at ?? bars[last] ?? NOTHING)}
      onKeyDown={(event) => {
        const step = steps[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const next = chosen.value === null ? last : step(chosen.value);
        chosen.value = Math.min(last, Math.max(0, next));
      }}
      onFocus={() => (chosen.value ??= last)}
      onBlur={() => (chosen.value = null)}
      onPointerMove={(event) => {
        const x = event.clientX - event.currentTarget.getBoundingClientRect().left - EDGE.left;
        chosen.value = x < 0 || x >= inner.width ? null : Math.floor(x / place);
      }}
      onPointerLeave={() => (chosen.value = null)}
    >
      {width.value > 0 && (
        <svg width={width.value} height={HEIGHT} aria-hidden="true">
          {marks.map((mark) => (
            <g key={mark}>
              <line
                class={mark === 0 ? "usage-chart-ground" : "usage-chart-mark"}
                x1={EDGE.left}
                x2={width.value - EDGE.right}
                y1={yOf(mark)}
                y2={yOf(mark)}
              />
              <text x={EDGE.left - 8} y={yOf(mark)} dy="0.32em" text-anchor="end">
                {numberText(mark)}
              </text>
            </g>
          ))}
          {bars.map((bar, index) => (
            <g key={bar.first}>
              {bar.units > 0 && (
                <rect
                  class={index === chosen.value ? "usage-chart-bar usage-chart-chosen" : "usage-chart-bar"}
                  x={middleOf(index) - barWidth / 2}
                  y={Math.min(yOf(bar.units), yOf(0) - 2)}
                  width={barWidth}
                  height={Math.max(2, yOf(0) - yOf(bar.units))}
                  rx={Math.min(2, barWidth / 3)}
                />
              )}
              {labelled.has(index) && (
                <text x={middleOf(index)} y={HEIGHT - 8} text-anchor={anchorOf(middleOf(index), width.value)}>
                  {dayText(bar.last)}
                </text>
              )}
            </g>
          ))}
          {chosen.value !== null && (
            <line
              class="usage-chart-pointer"
              x1={middleOf(chosen.value)}
              x2={middleOf(chosen.value)}
              y1={EDGE.top}
              y2={yOf(0)}
            />
          )}
        </svg>
      )}
      {at !== undefined && chosen.value !== null && (
        <div
          class="usage-chart-words"
          style={{
            left: `${Math.min(Math.max(middleOf(chosen.value), 110), Math.max(110, width.value - 110))}px`,
          }}
        >
          {wordsOf(at)}
        </div>
      )}
    </div>
  );
}

const WEEK_STEP = 7;
const NOTHING: Bar = { first: "1970-01-01", last: "1970-01-01", units: 0, jobs: 0 };

/** The last date ends with its bar, so that the window's edge does not cut it. */
const anchorOf = (x: number, width: number): "middle" | "end" =>
  x + LABEL_WIDTH / 2 > width ? "end" : "middle";
