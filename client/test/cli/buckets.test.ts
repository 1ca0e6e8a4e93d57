import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bucketAccess } from "../../src/cli/bucket/credentials.ts";
import { placeOf } from "../../src/cli/bucket/bucket.ts";
import { serveBucket } from "../support/bucket-service.ts";
import { picture } from "../support/memory-client.ts";
import { NOT_A_PICTURE, fakeService } from "../support/fake-service.ts";
import { serve } from "../support/serve.ts";
import { runCli } from "./support/run-cli.ts";

let folder: string;
let before: string;
let server: Awaited<ReturnType<typeof serveBucket>>;
let storage: string;
beforeAll(async () => {
  storage = await mkdtemp(join(tmpdir(), "bucket-"));
  server = await serveBucket(storage);
});
afterAll(async () => {
  await server.close();
  await rm(storage, { recursive: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "buckets-"));
  before = process.cwd();
  process.chdir(folder);
});
afterEach(async () => {
  process.chdir(before);
  await rm(folder, { recursive: true });
});

/** A fake service, a folder of the bucket that is the test's own, and the command line with both. */
async function world() {
  const service = fakeService();
  const own = `${crypto.randomUUID()}/`;
  const env = {
    ...server.env,
    SEGMENTATION_BASE_URL: await serve(service.app),
    SEGMENTATION_API_KEY: "sk_live_fake",
  };
  const ours = {
    url: server.url + own,
    put: (key: string, content: string | Uint8Array<ArrayBuffer>) => server.put(own + key, content),
    keys: async (prefix = "") => (await server.keys(own + prefix)).map((key) => key.slice(own.length)),
    read: (key: string) => server.read(own + key),
  };
  return { service, bucket: ours, run: (...args: string[]) => runCli(["segment", ...args], { env }) };
}

const linesOf = async (path: string): Promise<unknown[]> =>
  (await readFile(path, "utf8"))
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line));

describe("segment s3://…", () => {
  it("hands the service a URL for each picture below a prefix, and writes the results into a bucket", async () => {
    const { service, bucket, run } = await world();
    const names = ["a.png", "b/ü & (1)+.png", "b/c.png"];
    for (const [i, name] of names.entries()) await bucket.put(`in/${name}`, picture(i));
    await bucket.put("in/notes.txt", "no picture");
    await bucket.put("other/d.png", picture(9));
    const args = [`${bucket.url}in/`, "-p", "cup", "-o", `${bucket.url}masks`] as const;
    const { code, out, err } = await run(...args);
    expect([code, err]).toEqual([0, expect.stringMatching(/^Skipped 1 file .+: 1 \.txt\. .+\n$/)]);
    expect(out).toMatch(/3 pictures with 3 masks: s3:\/\/pictures\/[-\w]+\/masks\//);
    expect(service.asked.filter((each) => each === "POST /v1/uploads/import")).toHaveLength(3);
    expect(service.asked.filter((each) => each.startsWith("PUT"))).toEqual([]);
    expect(await bucket.keys("masks/")).toEqual(
      [
        "masks/annotations.json",
        ...names.flatMap((name) => [`masks/annotations/${name}.json`, `masks/masks/${name}/0.png`]),
      ].toSorted(),
    );
    expect(JSON.parse(await bucket.read("masks/annotations.json"))).toMatchObject({
      images: names.toSorted().map((name) => ({ file_name: name })),
    });

    const asked = service.asked.length;
    expect((await run(...args)).out).toContain("(nothing has changed)");
    expect(service.asked).toHaveLength(asked);
    // An object with other bytes has another ETag.
    await bucket.put("in/a.png", picture(7));
    expect((await run(...args)).code).toBe(0);
    expect(service.asked.filter((each) => each === "POST /v1/uploads/import")).toHaveLength(4);
  });

  it("sends the bytes itself if the service can't fetch from the bucket", async () => {
    const { service, bucket, run } = await world();
    service.forbids.add("127.0.0.1");
    await bucket.put("a.png", picture(1));
    const { code } = await run(`${bucket.url}a.png`, "-p", "cup");
    expect(code).toBe(0);
    expect(service.asked.filter((each) => each.startsWith("PUT"))).toHaveLength(1);
  });

  it.each([
    ["s3://pictures/none/", /There are no pictures in s3:\/\/pictures\/none\//, 2],
    ["s3://pictures/a", /is no picture\. For all pictures below it, add a slash/, 2],
    ["s3://Pictures/", /names no bucket\. Write s3:\/\/bucket\/folder\//, 2],
    ["s3://elsewhere/", /GET s3:\/\/elsewhere\/ at 127\.0\.0\.1:\d+: The storage refused/, 1],
  ])("says what is wrong with %s", async (url, message, exitCode) => {
    const { bucket, run } = await world();
    await bucket.put("a.png", picture(1));
    const { code, err } = await run(url, "-p", "cup");
    expect([code, err]).toEqual([exitCode, expect.stringMatching(message)]);
  });

  it("never shows the keys: neither output nor journal has them, nor a signature", async () => {
    const { bucket, run } = await world();
    await bucket.put("a.png", picture(1));
    const { out, err } = await run(bucket.url, "-p", "cup", "--json");
    const journal = await readFile("out/segmentation-journal.jsonl", "utf8");
    expect(out + err + journal).not.toMatch(/AKIA0USER|secret\/of|X-Amz/);
  });
});

describe("segment --manifest", () => {
  it("takes a line's own prompts in any encoding, and has a line of results for each", async () => {
    const { service, bucket, run } = await world();
    await bucket.put("a.png", picture(1));
    await bucket.put("b.png", NOT_A_PICTURE);
    const lines = [
      { custom_id: "one", url: `${bucket.url}a.png` },
      { custom_id: "two", url: `${bucket.url}a.png`, prompts: ["dog", "red cup"] },
      { custom_id: "three", url: `${bucket.url}b.png`, prompts: ["dog"] },
    ];
    // Excel and PowerShell begin a file with a byte order mark.
    const text = () => `\ufeff${lines.map((line) => `${JSON.stringify(line)}\n`).join("")}`;
    await writeFile("pictures.jsonl", text());
    service.forbids.add("127.0.0.1");
    const args = ["--manifest", "pictures.jsonl", "-p", "cup", "-o", `${bucket.url}masks/`] as const;
    expect((await run(...args)).code).toBe(1);
    const results = await linesOf("out/results.jsonl");
    const masks = (...prompts: string[]) => prompts.map((prompt) => expect.objectContaining({ prompt }));
    expect(results).toMatchObject([
      { custom_id: "one", response: { status_code: 200, body: { masks: masks("cup") } }, error: null },
      { custom_id: "two", response: { body: { masks: masks("dog", "red cup") } } },
      {
        custom_id: "three",
        response: null,
        error: { code: "not_an_image", message: expect.stringMatching(/\.$/) },
      },
    ]);
    expect(await bucket.read("masks/results.jsonl")).toBe(await readFile("out/results.jsonl", "utf8"));
    expect(await bucket.keys("masks/masks/")).toEqual(
      ["one/0", "two/0", "two/1"].map((each) => `masks/masks/${each}.png`),
    );

    // Other prompts of one line: only that line is segmented again.
    const asked = service.jobs.size;
    lines[1] = { ...lines[1], custom_id: "two", url: `${bucket.url}a.png`, prompts: ["cat"] };
    await writeFile("pictures.jsonl", text(), "utf16le");
    await run(...args);
    expect(service.jobs.size).toBe(asked + 1);
    expect((await linesOf("out/results.jsonl"))[1]).toMatchObject({
      response: { body: { masks: masks("cat") } },
    });
    expect(await bucket.keys("masks/masks/two/")).toEqual(["masks/masks/two/0.png"]);
  });

  it.each([
    ["", "has no lines"],
    ["{]", "Line 1 of m.jsonl is not a JSON object"],
    ['\n{"url":"s3://b/k"}', "Line 2 of m.jsonl has no custom_id"],
    ['{"custom_id":"a","url":"/etc/passwd"}', "has no url that begins with https:// or s3://"],
    ['{"custom_id":"a","url":"s3://bb/k","prompts":"cat"}', "has prompts that are not a list of words"],
    [
      '{"custom_id":"a","url":"s3://bb/k"}\n{"custom_id":"a","url":"s3://bb/l"}',
      "has the custom_id of an earlier one: a",
    ],
    ['{"custom_id":"a","url":"s3://bb/k"}', "Some lines of the manifest have no prompts"],
  ])("says what is wrong with %j", async (text, message) => {
    await writeFile("m.jsonl", text);
    const env = { SEGMENTATION_BASE_URL: "http://127.0.0.1:9", SEGMENTATION_API_KEY: "sk_live_fake" };
    const { code, err } = await runCli(["segment", "--manifest", "m.jsonl"], { env });
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("the credentials of a bucket", () => {
  it("are the environment's, or those of a profile with its region and endpoint", async () => {
    const HOME = folder;
    await mkdir(".aws");
    await writeFile(
      ".aws/credentials",
      "[default]\naws_access_key_id = A\naws_secret_access_key=B=\n[r2]\naws_access_key_id=C\naws_secret_access_key=D\n",
    );
    await writeFile(
      ".aws/config",
      "[default]\nregion = eu-west-1\ns3 =\n  region = none\n[profile r2]\nendpoint_url = https://a.r2.cloudflarestorage.com\n",
    );
    expect(await bucketAccess({ HOME }, undefined)).toMatchObject({
      accessKeyId: "A",
      secretAccessKey: "B=",
      region: "eu-west-1",
      endpoint: undefined,
    });
    expect(await bucketAccess({ HOME, AWS_PROFILE: "r2" }, undefined)).toMatchObject({
      accessKeyId: "C",
      region: "auto",
      endpoint: "https://a.r2.cloudflarestorage.com",
    });
    const keys = {
      AWS_ACCESS_KEY_ID: "E",
      AWS_SECRET_ACCESS_KEY: "F",
      AWS_SESSION_TOKEN: "G",
      AWS_REGION: "x",
    };
    expect(await bucketAccess({ HOME, ...keys }, "http://127.0.0.1:9000")).toEqual({
      accessKeyId: "E",
      secretAccessKey: "F",
      sessionToken: "G",
      region: "x",
      endpoint: "http://127.0.0.1:9000",
    });
  });

  it("that are missing lead to a sentence that says how to give them", async () => {
    await expect(bucketAccess({ HOME: folder, AWS_PROFILE: "sso" }, undefined)).rejects.toThrow(
      /in the profile "sso"\. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; .*aws configure export-credentials/,
    );
    const keys = { AWS_ACCESS_KEY_ID: "E", AWS_SECRET_ACCESS_KEY: "F" };
    await expect(bucketAccess(keys, "minio:9000")).rejects.toThrow(
      "minio:9000 is not the URL of an endpoint",
    );
  });

  it("are signed for AWS's own hosts if there is no endpoint", async () => {
    const { Buckets } = await import("../../src/cli/bucket/bucket.ts");
    const keys = {
      HOME: folder,
      AWS_ACCESS_KEY_ID: "E",
      AWS_SECRET_ACCESS_KEY: "F",
      AWS_REGION: "eu-west-1",
    };
    const url = await new Buckets(keys).signedUrl("pictures", "a b/ü.png");
    expect(url.host + url.pathname).toBe("pictures.s3.eu-west-1.amazonaws.com/a%20b/%C3%BC.png");
    expect(url.searchParams.get("X-Amz-Expires")).toBe("3600");
    expect((await new Buckets(keys).signedUrl("my.pictures", "a")).host).toBe("s3.eu-west-1.amazonaws.com");
    expect(placeOf("s3://pictures")).toEqual({ bucket: "pictures", prefix: "" });
  });
});
