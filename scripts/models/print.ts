import { basename } from "node:path";
import { formatTable } from "../shared/table.ts";
import { CATALOGUE, type CatalogueModel } from "./install/catalogue.ts";
import type { Installed } from "./install/install.ts";
import type { Description } from "./write-manifest.ts";
import type { ListedFolder } from "./list.ts";
import type { Tensor, Usable } from "./report.ts";

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

/** Returns the folders as a table, followed by their faults. */
export function listLines(
  root: string,
  folders: readonly ListedFolder[],
  families: readonly string[],
): string[] {
  const more = [
    `Known families: ${families.join(", ")}. docs/models.md says what each can do.`,
    `To install: ${CATALOGUE.map(catalogueEntry).join("; ")}.`,
    "Install one with: npm run models -- install NAME",
  ];
  if (folders.length === 0)
    return [
      `There are no model folders in ${root}.`,
      "Get the embedded model with: npm run models -- fetch builtin",
      ...more,
    ];
  const rows = folders.map(({ folder, model, fault }) => [
    model?.id ?? "-",
    model?.version ?? "-",
    model === undefined || families.includes(model.family)
      ? (model?.family ?? "-")
      : `${model.family} (unknown)`,
    model?.licences.join(", ") ?? "-",
    model === undefined ? "-" : megabytes(model.bytes),
    fault === undefined ? "complete" : "unusable",
    folder,
  ]);
  const faults = folders.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
  return [
    ...formatTable(["id", "version", "family", "weights' licenses", "MB", "state", "folder"], rows),
    "",
    ...faults,
    ...more,
  ];
}

function catalogueEntry({ cgF1, ...model }: CatalogueModel): string {
  const published = cgF1 === undefined ? "" : `, published cgF1 ${cgF1}`;
  return `${model.name} (${model.licence.name}, about ${model.megabytes} MB${published})`;
}

/** The report on a usable folder: its tensors, memory, times and findings. */
export function reportLines(folder: string, report: Usable): string[] {
  const { id, version, family, provider, peakBytes, golden, signatures } = report;
  const again = golden.cached ? "with the picture's features cached" : "without cached features";
  return [
    `${id} ${version} (${family}) in ${folder} can be used.`,
    "",
    ...signatures.flatMap(signatureLines),
    `execution provider  ${provider}`,
    `peak memory         ${megabytes(peakBytes)} MB, of the process that loaded and ran the model`,
    `golden picture      "${golden.prompt}" on ${golden.picture}: ${golden.firstMs.toFixed(0)} ms, again ${golden.secondMs.toFixed(0)} ms ${again}`,
    "",
    ...foundLines(golden),
  ];
}

/** Returns lines about the written manifest, and the values that a person still has to check. */
export function descriptionLines(
  folder: string,
  { manifest, recognised, filledIn, unused = [] }: Description,
): string[] {
  return [
    `Recognised: ${recognised}`,
    `Filled in: ${filledIn.join("; ")}.`,
    ...unused.map((file) => `Not used: ${file}. Its tensors do not belong to the other graphs'.`),
    `Written: ${manifest}`,
    "",
    "Still to do by hand:",
    "  licences   check that source and terms are those of your export",
    "  golden     the template expects one cat in ../builtin/golden.jpg; change the values for another picture",
    `  then       run: npm run models -- check ${folder}`,
    "             and copy what it finds into golden, with a narrower tolerance",
  ];
}

/** Returns lines with the model's folder, the report of its check, and the command to serve it. */
export function installedLines({ folder, report }: Installed): string[] {
  return [
    ...(report === undefined ? [`${folder} is there already, and whole.`] : reportLines(folder, report)),
    "",
    `Serve it with: MODEL_FOLDER=${basename(folder)} npm start`,
  ];
}

function signatureLines({ name, inputs, outputs }: Usable["signatures"][number]): string[] {
  const rows = [...inputs.map((tensor) => row("in", tensor)), ...outputs.map((tensor) => row("out", tensor))];
  return [name, ...formatTable(["", "role", "name", "type", "shape"], rows), ""];
}

function foundLines({ instances }: Usable["golden"]): string[] {
  if (instances.length === 0) return ["Nothing was found, as the manifest expects."];
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
