import { type Abortable, SegmentationClient as WebClient } from "../client.ts";
import { ImageResult as WebImageResult } from "../results/image-result.ts";
import type { SegmentOptions, SegmentVideoOptions } from "../segment.ts";
import type { Input, Source } from "../upload/input.ts";
import type { SendFile } from "../upload/send-file.ts";
import { pieces } from "../http/read.ts";
import { openPath, pathOf } from "./open-path.ts";
import { ImageResult, VideoResult } from "./results.ts";
import { writeWhole } from "./save.ts";
import { streamFile } from "./stream-file.ts";

/** The client where there is a file system: a text that is no URL is a path, and results can be saved. */
export class SegmentationClient extends WebClient {
  override async segment(
    input: Input | readonly Input[],
    prompts: string | readonly string[],
    options?: SegmentOptions,
  ): Promise<ImageResult> {
    return new ImageResult(await super.segment(input, prompts, options));
  }

  override async segmentVideo(
    input: Input,
    prompts: string | readonly string[],
    options?: SegmentVideoOptions,
  ): Promise<VideoResult> {
    return new VideoResult(await super.segmentVideo(input, prompts, options));
  }

  override async result(jobId: string, options?: Abortable): Promise<ImageResult | VideoResult> {
    const result = await super.result(jobId, options);
    return result instanceof WebImageResult ? new ImageResult(result) : new VideoResult(result);
  }

  /** Downloads a signed URL into a file, which is there whole or not at all. */
  async downloadTo(path: string, url: string, { signal }: Abortable = {}): Promise<void> {
    const write = (response: Response, alive: () => void) => writeWhole(path, pieces(response, alive));
    await this.connection.storage(url, {}, write, signal);
  }

  protected override async open(input: Input): Promise<Source> {
    const path = pathOf(input);
    return path === undefined ? await super.open(input) : await openPath(path);
  }

  protected override get send(): SendFile {
    return streamFile;
  }
}
