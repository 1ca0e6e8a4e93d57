import { useComputed, useSignal } from "@preact/signals";
import type { TargetedFocusEvent, TargetedKeyboardEvent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { JobGroup } from "./job-groups.ts";
import type { DetailsOfJobs } from "./job-details.ts";
import { type JobAction, JobRow } from "./job-row.tsx";
import { rowsOf, rowWindow, scrollTo } from "./window.ts";
import "./job-grid.css";

/** As job-grid.css has it, in the root's font size. */
const ROW_REM = 4.5;
/** Height of the bar at the window's lower edge on a phone, with a margin. In pixels. */
const BARS = { above: 16, below: 72 };
/** Pause in scrolling after which the visible rows request their details. */
const STILL_MS = 150;

const rowHeightOf = (): number =>
  ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

interface JobGridProps {
  readonly groups: readonly JobGroup[];
  /** True if these are all. */
  readonly isWhole: boolean;
  readonly details: DetailsOfJobs;
  /** Called with the rows that are drawn whenever the list stops moving. */
  readonly onSeen: (groups: readonly JobGroup[]) => void;
  /** Called when the end comes near. */
  readonly onEnd: () => void;
  readonly onAct: (action: JobAction, group: JobGroup) => void;
}

/** A long list of jobs that renders only the rows near the viewport. It scrolls with the page. */
export function JobGrid({ groups, isWhole, details, onSeen, onEnd, onAct }: JobGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const rowHeight = useSignal(rowHeightOf());
  const top = useSignal(0);
  const height = useSignal(innerHeight);
  const focused = useSignal(0);
  const takesFocus = useRef(false);
  const count = groups.length;

  useLayoutEffect(() => {
    const measure = (): void => {
      if (grid.current === null) return;
      top.value = -grid.current.getBoundingClientRect().top;
      height.value = innerHeight;
    };
    const resize = (): void => {
      rowHeight.value = rowHeightOf();
      measure();
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", resize);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", resize);
    };
  }, [top, height, rowHeight]);

  // As text, so that the list is drawn again only when other rows come into the window.
  const range = useComputed(() => {
    const { first, end } = rowWindow(Number.MAX_SAFE_INTEGER, rowHeight.value, top.value, height.value);
    return `${first} ${end}`;
  });
  const [from = 0, to = 0] = range.value.split(" ").map(Number);
  const drawn = { first: Math.min(from, count), end: Math.min(to, count) };
  const rows = rowsOf(drawn, Math.min(focused.value, count - 1), count);

  useEffect(() => {
    if (drawn.end >= count - 20) onEnd();
    const timer = setTimeout(() => onSeen(groups.slice(drawn.first, drawn.end)), STILL_MS);
    return () => clearTimeout(timer);
  }, [drawn.first, drawn.end, groups]);

  useLayoutEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    const row = grid.current?.querySelector<HTMLElement>(`[data-row="${focused.value}"] a`);
    row?.focus({ preventScroll: true });
  });

  const goTo = (row: number): void => {
    focused.value = Math.min(count - 1, Math.max(0, row));
    takesFocus.current = true;
    scrollBy(0, scrollTo(focused.value, rowHeight.value, top.value, height.value, BARS));
  };
  const press = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const page = Math.max(1, Math.floor(height.value / rowHeight.value) - 2);
    const rowAfter: Partial<Record<string, number>> = {
      ArrowDown: focused.value + 1,
      ArrowUp: focused.value - 1,
      PageDown: focused.value + page,
      PageUp: focused.value - page,
      Home: 0,
      End: count - 1,
    };
    const next = rowAfter[event.key];
    if (next !== undefined) {
      event.preventDefault();
      goTo(next);
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      const inRow = event.key === "ArrowRight" ? ".menu-button" : "a";
      grid.current?.querySelector<HTMLElement>(`[data-row="${focused.value}"] ${inRow}`)?.focus();
    }
  };
  const noteFocus = (event: TargetedFocusEvent<HTMLDivElement>): void => {
    const row = event.target instanceof Element ? event.target.closest("[data-row]") : null;
    if (row !== null) focused.value = Number(row.getAttribute("data-row"));
  };
  return (
    <div
      ref={grid}
      class="job-grid"
      role="grid"
      aria-label="Jobs"
      aria-rowcount={isWhole ? count : -1}
      style={{ height: `${count * rowHeight.value}px` }}
      onKeyDown={press}
      onFocusCapture={noteFocus}
    >
      {rows.map((row) => {
        const group = groups[row];
        if (group === undefined) return null;
        return (
          <JobRow
            key={group.job.jobId}
            group={group}
            details={details.of(group.job.jobId)}
            progress={details.of(group.state.jobId)}
            index={row}
            top={row * rowHeight.value}
            isFocused={row === focused.value}
            onAct={onAct}
          />
        );
      })}
    </div>
  );
}
