import { SegmentationClient, SegmentationError, verifyWebhook } from "segmentation-client";
import { decodeRle } from "segmentation-client/masks";

/** Options of the walk. */
export interface WalkOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** A picture in base64, and the prompt for its object. */
  readonly picture: string;
  readonly prompt: string;
}

/** A sentence of the walk, and the reason why it is false; null if it is true. */
export interface WalkReport {
  readonly sentence: string;
  readonly failure: string | null;
}

function assert(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(what);
}

type Step = (client: SegmentationClient, options: WalkOptions) => Promise<void>;

/** Steps of the client on every platform; they use only the Web's APIs, so that all platforms run this file. */
const STEPS: Readonly<Record<string, Step>> = {
  "segments a picture: masks with prompt, confidence, box, area, pixels, RLE and outlines": async (
    client,
    options,
  ) => {
    const bytes = Uint8Array.from(atob(options.picture), (character) => character.charCodeAt(0));
    const result = await client.segment(new File([bytes], "picture.png"), options.prompt);
    assert(result.masks.length > 0, "there is no mask");
    for (const mask of result.masks) {
      assert(mask.prompt === options.prompt, `prompt ${mask.prompt}`);
      assert(mask.confidence > 0 && mask.confidence <= 1, `confidence ${mask.confidence}`);
      const { width, height, data } = await mask.bitmap();
      assert(mask.area === data.filter((value) => value === 255).length, `area ${mask.area}`);
      assert(
        mask.box[0] + mask.box[2] <= width && mask.box[1] + mask.box[3] <= height,
        `box ${mask.box.join()}`,
      );
      assert(
        decodeRle(await mask.rle()).data.every((value, i) => value === data[i]),
        "the RLE differs",
      );
      assert((await mask.polygons()).length > 0, "there is no outline");
    }
  },
  "reports the progress of an upload and a job": async (client, options) => {
    const bytes = Uint8Array.from(atob(options.picture), (character) => character.charCodeAt(0));
    let [uploaded, share] = [0, 0];
    await client.segment(bytes, options.prompt, {
      onProgress: (progress) => ([uploaded, share] = [progress.uploadedBytes, progress.share]),
    });
    assert(uploaded === bytes.length, `${uploaded} bytes uploaded`);
    assert(share === 1, `share ${share}`);
  },
  "lists all jobs, page by page, and gets the archive of one": async (client) => {
    const listed: string[] = [];
    for await (const { jobId } of client.api.listJobs({ limit: 1 })) listed.push(jobId);
    assert(listed.length >= 2, `${listed.length} jobs`);
    const archive = await client.archive(listed[0] ?? "");
    assert((await client.download(archive.downloadUrl)).size > 0, "the archive is empty");
  },
  "rejects with the service's error, and with the reason of an abort": async (client, options) => {
    const missing: unknown = await client.api
      .retrieveJob({ jobId: "job_none" })
      .catch((error: unknown) => error);
    assert(missing instanceof SegmentationError, String(missing));
    assert(missing.code === "job_not_found" && missing.status === 404, missing.message);
    assert(missing.requestId !== undefined, "there is no request id");
    const reason: unknown = await client
      .segment(new URL("https://example.com/none.png"), options.prompt, {
        signal: AbortSignal.abort("enough"),
      })
      .catch((error: unknown) => error);
    assert(reason === "enough", String(reason));
  },
  "submits pictures, takes them as they end, and takes the job up by its id": async (client, options) => {
    const bytes = Uint8Array.from(atob(options.picture), (character) => character.charCodeAt(0));
    const { jobId } = await client.submit([bytes, new Response(bytes)], options.prompt, {
      idempotencyKey: crypto.randomUUID(),
    });
    let masks = 0;
    for await (const picture of client.job(jobId).pictures()) masks += (await picture.masks()).length;
    assert(masks >= 2, `${masks} masks`);
  },
  "verifies a webhook, and refuses a forged one": async () => {
    const body = JSON.stringify({ type: "test", timestamp: "", data: { endpointId: "whe_1" } });
    const [secret, id, timestamp] = ["whsec_c2VjcmV0", "evt_1", String(Math.floor(Date.now() / 1_000))];
    const hash = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", new TextEncoder().encode("secret"), hash, false, [
      "sign",
    ]);
    const signed = await crypto.subtle.sign(
      "HMAC",
      key,
      new TextEncoder().encode(`${id}.${timestamp}.${body}`),
    );
    const signature = `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`;
    const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
    const event = await verifyWebhook(body, new Headers(headers), secret);
    assert(event.type === "test" && event.data.endpointId === "whe_1", JSON.stringify(event));
    const forged: unknown = await verifyWebhook(`${body} `, headers, secret).catch((error: unknown) => error);
    assert(forged instanceof SegmentationError && forged.code === "invalid_signature", String(forged));
  },
  "tells of a service that cannot be reached": async (_, { apiKey }) => {
    const client = new SegmentationClient({
      baseUrl: "http://127.0.0.1:1",
      apiKey,
      maxRetries: 1,
      retryDelayMs: 1,
    });
    const failure: unknown = await client.api.getAccount().catch((error: unknown) => error);
    assert(failure instanceof SegmentationError && failure.code === "connection_failed", String(failure));
  },
};

/** Takes all steps, one after the other. */
export async function walk(options: WalkOptions): Promise<WalkReport[]> {
  const client = new SegmentationClient(options);
  const reports: WalkReport[] = [];
  for (const [sentence, step] of Object.entries(STEPS)) {
    const failure = await step(client, options).then(
      () => null,
      (error: unknown) => (error instanceof Error ? `${error.message} ${error.stack ?? ""}` : String(error)),
    );
    reports.push({ sentence, failure });
  }
  return reports;
}
