/** Folders of the family `kserve`, made from the committed template, for a fake server. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { MODEL } from "../../support/model-server/fake-request.ts";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { describeFolder, FileTemplate } from "../../../src/models/describe-folder.ts";

import { scene, WHITE } from "../sam3/fixture-folder.ts";

const TEMPLATE = fileURLToPath(new URL("../../../models/kserve/server.json", import.meta.url));

/** Changes of a folder's manifest from the template. */
export interface FolderChanges {
  readonly server?: object;
  readonly image?: object;
  readonly objects?: object;
}

/** Writes a folder whose golden picture has one white object. */
export async function fixtureFolder(
  folder: string,
  origin: string,
  { server, image, objects }: FolderChanges = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const golden = scene([320, 240], [[WHITE, [200, 160, 300, 220]]]);
  const raw = { width: golden.width, height: golden.height, channels: 3 } as const;
  await writeFile(join(folder, "golden.jpg"), await sharp(golden.rgb, { raw }).png().toBuffer());
  const template = FileTemplate.parse(JSON.parse(await readFile(TEMPLATE, "utf8")));
  const instance = { box: [200, 160, 300, 220], score: 0.9, area: 6000 / 76_800 };
  const manifest = await describeFolder(folder, {
    ...template,
    server: { origin, model: MODEL, concurrency: 4, ...server },
    image: { maxPixels: 1_000_000, ...image },
    objects: { most: 20, floor: 0.3, faintFloor: 0.05, ...objects },
    golden: {
      picture: "golden.jpg",
      prompt: "white",
      threshold: 0.5,
      instances: [instance],
      tolerance: { boxIou: 0.95, score: 0.01, area: 0.005 },
    },
  });
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
  return folder;
}
