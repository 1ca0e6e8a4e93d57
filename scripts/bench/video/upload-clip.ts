import { openAsBlob } from "node:fs";
import type { ApiClient } from "../../client/api-client.ts";

/** Uploads an MP4 and returns its taskId. */
export async function uploadClip(client: ApiClient, path: string): Promise<string> {
  return await client.upload(await openAsBlob(path), "video/mp4");
}
