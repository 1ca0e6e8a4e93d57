/** Gives the client files, responses, streams, headers and a `fetch` of other packages. */
import { createHmac } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import crossFetch from "cross-fetch";
import { File as FetchBlobFile } from "fetch-blob/file.js";
import { fileFrom } from "fetch-blob/from.js";
import { File as FormDataFile } from "formdata-node";
import { fileFromPath } from "formdata-node/file-from-path";
import nodeFetch, { File as NodeFetchFile, Headers as NodeFetchHeaders } from "node-fetch";
import nodeFetch2 from "node-fetch-2";
import { SegmentationClient, verifyWebhook } from "segmentation-client/node";
import * as undici from "undici";
import * as undici5 from "undici-5";

const [path = "", baseUrl = ""] = process.argv.slice(2);
const bytes = readFileSync(path);
const server = createServer((_, response) => response.end(bytes)).listen(0, "127.0.0.1");
await once(server, "listening");
const url = `http://127.0.0.1:${server.address().port}/coffee.png`;
const options = { baseUrl, apiKey: "sk_live_fake", maxRetries: 0 };
const fetches = { nodeFetch, nodeFetch2, crossFetch, undici: undici.fetch, undici5: undici5.fetch };

const inputs = {
  "a stream of a file": () => createReadStream(path),
  "an open file": () => open(path),
  "node-fetch's File": () => new NodeFetchFile([bytes], "a.jpg", { type: "image/jpeg" }),
  "fetch-blob's File": () => new FetchBlobFile([bytes], "a.png"),
  "fetch-blob's file of a path": () => fileFrom(path),
  "formdata-node's File": () => new FormDataFile([bytes], "a.png"),
  "formdata-node's file of a path": () => fileFromPath(path),
  "undici's body of a request": async () => (await undici.request(url)).body,
  "node-fetch's body": async () => (await nodeFetch(url)).body,
  "node-fetch 2's Blob": async () => (await nodeFetch2(url)).blob(),
};
for (const [name, fetch] of Object.entries(fetches)) inputs[`a response of ${name}`] = () => fetch(url);

const report = {};
const note = async (name, work) => {
  report[name] = await work().catch((error) => `${error.name} ${error.code} ${error.message}`);
};
for (const [name, input] of Object.entries(inputs))
  await note(name, async () => new SegmentationClient(options).upload(await input()));
for (const [name, fetch] of Object.entries(fetches))
  await note(`sent by ${name}`, () => new SegmentationClient({ ...options, fetch }).upload(path));

const body = '{"type":"test"}';
const time = String(Math.floor(Date.now() / 1_000));
const signature = createHmac("sha256", "secret").update(`evt_1.${time}.${body}`).digest("base64");
const headers = {
  "webhook-id": "evt_1",
  "webhook-timestamp": time,
  "webhook-signature": `v1,${signature}`,
};
const classes = {
  undici: undici.Headers,
  undici5: undici5.Headers,
  nodeFetch: NodeFetchHeaders,
  nodeFetch2: nodeFetch2.Headers,
};
for (const [name, Headers] of Object.entries(classes))
  await note(`headers of ${name}`, async () => {
    const event = await verifyWebhook(body, new Headers(headers), "whsec_c2VjcmV0");
    return event.type;
  });
server.close();
console.log(JSON.stringify(report));
