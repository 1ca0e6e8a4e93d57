import { formatTable } from "../demo/table.ts";
import type { Description } from "./describe.ts";
import type { ListedFolder } from "./list.ts";
import type { Tensor, Usable } from "./report.ts";

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

/** The folders as a table, and below it what is wrong with which. */
export function listLines(
  root: string,
  folders: readonly ListedFolder[],
  families: readonly string[],
): string[] {
  const known = `Families known here: ${families.join(", ")}. What each can do: docs/models.md`;
  if (folders.length === 0)
    return [
      `There are no model folders in ${root}.`,
      "The embedded model: npm run models -- fetch builtin",
      known,
    ];
  const rows = folders.map(({ folder, model, fault }) => [
    model?.id ?? "-",
    model?.version ?? "-",
    model === undefined || families.includes(model.family)
      ? (model?.family ?? "-")
      : `${model.family} (unknown)`,
    model?.licences.join(", ") ?? "-",
    model === undefined ? "-" : megabytes(model.bytes),
    fault === undefined ? "whole" : "unusable",
    folder,
  ]);
  const faults = folders.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  return [
    ...formatTable(["id", "version", "family", "weights' licences", "MB", "state", "folder"], rows),
    "",
    ...faults,
    known,
  ];
}

/** What a folder that can be used takes and gives, and what it cost. */
export function reportLines(folder: string, report: Usable): string[] {
  const { id, version, family, provider, peakBytes, golden, graphs } = report;
  const again = golden.cached ? "with the picture's features remembered" : "with nothing remembered";
  return [
    `${id} ${version} (${family}) in ${folder} can be used.`,
    "",
    ...graphs.flatMap(graphLines),
    `execution provider  ${provider}`,
    `peak memory         ${megabytes(peakBytes)} MB, of the process that loaded and ran it`,
    `golden picture      "${golden.prompt}" on ${golden.picture}: ${golden.firstMs.toFixed(0)} ms, once more ${golden.secondMs.toFixed(0)} ms ${again}`,
    "",
    ...foundLines(golden),
  ];
}

/** What was written, and what a person still has to look at. */
export function descriptionLines(folder: string, { manifest, recognised, filledIn }: Description): string[] {
  return [
    `Recognised: ${recognised}`,
    `Filled in: ${filledIn.join("; ")}.`,
    `Written: ${manifest}`,
    "",
    "Still to be done by hand:",
    "  licences   whether source and terms are those of your export",
    "  golden     the template expects one cat in ../builtin/golden.jpg: for another picture, other values",
    `  then       npm run models -- check ${folder}`,
    "             and write what it finds into golden, with a narrower tolerance",
  ];
}

function graphLines({ file, maxBatch, inputs, outputs }: Usable["graphs"][number]): string[] {
  const rows = [...inputs.map((tensor) => row("in", tensor)), ...outputs.map((tensor) => row("out", tensor))];
  const heading = maxBatch > 1 ? `${file}, several at once: up to ${maxBatch}` : file;
  return [heading, ...formatTable(["", "role", "name", "type", "shape"], rows), ""];
}

function foundLines({ instances }: Usable["golden"]): string[] {
  if (instances.length === 0) return ["Nothing was found, as the manifest says."];
  return formatTable(
    ["score", "box", "share of the picture"],
    instances.map(({ score, box, area }) => [
      score.toFixed(3),
      `[${box.map((side) => side.toFixed(1)).join(", ")}]`,
      area.toFixed(3),
    ]),
  );
}

function row(direction: "in" | "out", { role, name, dtype, shape }: Tensor): string[] {
  return [direction, role, name, dtype, `[${shape.join(", ")}]`];
}
