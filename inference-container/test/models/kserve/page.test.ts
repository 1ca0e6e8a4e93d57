import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CLICKS, INPUTS, OUTPUTS } from "../../../src/models/kserve/contract.ts";
import { CONTAINER_ROOT } from "../../support/manifests.ts";

const page = readFileSync(join(CONTAINER_ROOT, "models/kserve/README.md"), "utf8");
const ALL = [...INPUTS, CLICKS, ...OUTPUTS];
const TRITON = { UINT8: "UINT8", BYTES: "STRING", FP32: "FP32", INT32: "INT32", FP16: "FP16" } as const;

test("the family's page has each tensor of a server's model as the service checks it, also in its config.pbtxt", () => {
  const config = /```\n(name: "segment"[^`]*)```/.exec(page)?.[1] ?? "";
  for (const { name, datatype, shape, axes } of ALL) {
    expect(page).toContain(`| \`${name}\` | ${datatype} | [${axes.join(", ")}] |`);
    expect(config.replaceAll(/ +/g, " ")).toContain(
      `{ name: "${name}" data_type: TYPE_${TRITON[datatype]} dims: [ ${shape.join(", ")} ] }`,
    );
  }
  expect(config.match(/data_type/g)).toHaveLength(ALL.length);
});
