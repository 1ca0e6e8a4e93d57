import { markdownTable } from "../table.ts";
import { thirds } from "./sample-memory.ts";
import type { Soak } from "./soak.ts";

const mega = (bytes: number): string => (bytes / 1e6).toFixed(0);

function row(name: string, values: readonly number[]): string[] {
  const [first, middle, last] = thirds(values);
  return [name, mega(first), mega(middle), mega(last), (last / first).toFixed(2), mega(Math.max(...values))];
}

/** The soak's memory as a Markdown table, preceded by the numbers of tasks. */
export function soakReport({ minutes, outcomes, samples }: Soak): string[] {
  const total = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const counts = [...outcomes].map(([name, count]) => `${count} ${name}`).join(", ");
  return [
    `${total} tasks in ${minutes} min: ${counts}.`,
    "",
    ...markdownTable(
      ["resident memory, MB", "first third", "middle", "last third", "last ÷ first", "most"],
      [
        row(
          "service",
          samples.map(({ service }) => service),
        ),
        row(
          "engine",
          samples.map(({ engine }) => engine),
        ),
      ],
    ),
  ];
}
