import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JOURNAL_NAME } from "../../src/cli/segment/journal/journal.ts";
import { picture } from "../support/memory-client.ts";
import { fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { runCli } from "./support/run-cli.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "cli-names-"));
  await mkdir(join(folder, "in"));
});
afterEach(() => rm(folder, { recursive: true }));

const out = (): string => join(folder, "out");
const put = (name: string | Buffer, content: Uint8Array | string): Promise<void> =>
  writeFile(
    Buffer.concat([Buffer.from(join(folder, "in/")), typeof name === "string" ? Buffer.from(name) : name]),
    content,
  );
const masksIn = async (): Promise<string[]> => (await readdir(join(out(), "masks"))).toSorted();

async function fake() {
  const service = fakeService();
  const env = { SEGMENTATION_BASE_URL: await serve(service.app), SEGMENTATION_API_KEY: "sk_live_fake" };
  const segment = (...inputs: readonly string[]) =>
    runCli(["segment", ...inputs, "-p", "cup", "--out", out()], { env });
  return { service, segment };
}

describe("results are saved", () => {
  it("under shortened names if the pictures' names have the maximum length", async () => {
    const { segment } = await fake();
    const names = ["d".repeat(251), "d".repeat(250) + "e", "写".repeat(83), "short"];
    for (const [i, name] of names.entries()) await put(`${name}.png`, picture(i));
    const { code, err } = await segment(join(folder, "in"));
    expect([code, err]).toEqual([0, expect.not.stringContaining("failed")]);
    expect(await masksIn()).toEqual([
      `${"d".repeat(234)}-2.png`,
      `${"d".repeat(236)}.png`,
      "short.png",
      `${"写".repeat(78)}.png`,
    ]);
    expect(await segment(join(folder, "in"))).toMatchObject({
      code: 0,
      out: expect.stringContaining("4 pictures with 4 masks"),
    });
  });

  it("apart where file systems ignore case and normalization, and by the decoded names of URLs", async () => {
    const { segment } = await fake();
    for (const [i, name] of ["Cup.png", "cup.png", "caf\u00e9.png", "cafe\u0301.png"].entries())
      await put(name, picture(i));
    const urls = ["https://example.com/th%C3%A9%20vert.png", "https://example.com/"];
    expect((await segment(join(folder, "in"), ...urls)).code).toBe(0);
    expect(await masksIn()).toEqual(
      ["Cup.png", "cup-2.png", "caf\u00e9-2.png", "cafe\u0301.png", "thé vert.png", "example.com"].toSorted(),
    );
  });

  it.skipIf(process.platform !== "linux")("of files whose names are not UTF-8", async () => {
    const { service, segment } = await fake();
    for (const byte of [0xe9, 0xff])
      await put(Buffer.concat([Buffer.from("bad"), Buffer.of(byte), Buffer.from(".png")]), picture(byte));
    await mkdir(Buffer.concat([Buffer.from(join(folder, "in/sub")), Buffer.of(0xfe)]));
    await put(Buffer.concat([Buffer.from("sub"), Buffer.of(0xfe), Buffer.from("/cup.png")]), picture(7));
    const { code, out: printed } = await segment(join(folder, "in"));
    expect([code, printed]).toEqual([0, expect.stringContaining("3 pictures with 3 masks")]);
    expect(await masksIn()).toEqual(["bad\ufffd-2.png", "bad\ufffd.png", "sub\ufffd"]);
    // A shell gives such a name for both.
    const again = await segment(join(folder, "in/bad\ufffd.png"));
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("nothing has changed")]);
    expect(service.jobs.size).toBe(1);
  });

  it.each([
    ["while the picture is there", false],
    ["after the picture was removed", true],
  ])("when a run is repeated after a long name in its journal had stopped it, %s", async (_, isRemoved) => {
    const { service, segment } = await fake();
    await put("cup.png", picture(1));
    await segment(join(folder, "in"));
    const path = join(out(), JOURNAL_NAME);
    const lines = (await readFile(path, "utf8")).trim().split("\n");
    const stopped = lines
      .filter((line) => !/"entry":"(?:outcome|ended|merged)"/.test(line))
      .map((line) => line.replace('"name":"cup.png"', `"name":"${"c".repeat(251)}.png"`));
    await rm(out(), { recursive: true });
    await mkdir(out());
    await writeFile(path, `${stopped.join("\n")}\n`);
    if (isRemoved) await rm(join(folder, "in/cup.png"));
    const { code, err } = await segment(join(folder, "in"));
    expect([code, err]).toEqual(
      isRemoved ? [2, expect.stringContaining("There are no pictures in")] : [0, ""],
    );
    expect(await masksIn()).toEqual([`${"c".repeat(236)}.png`]);
    expect(await readFile(path, "utf8")).toContain('"entry":"ended"');
    expect(service.jobs.size).toBe(1);
  });
});

it("files in a folder without a picture's extension are counted", async () => {
  const { segment } = await fake();
  for (const name of ["a.jpe", "b.apng", "c.avifs", "d.JPG"]) await put(name, picture(1));
  for (const name of ["scan.svg", "drawing.SVG", "raw.cr3", "noext", ".hidden"]) await put(name, "");
  const { code, err, out: printed } = await segment(join(folder, "in"));
  expect([code, printed]).toEqual([0, expect.stringContaining("4 pictures")]);
  expect(err).toContain(
    "Skipped 4 files in a folder whose names are not those of pictures: 2 .svg, 1 without extension, 1 .cr3. Pass a file's path to segment it anyway.",
  );
});
