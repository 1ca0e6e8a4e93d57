import type { Answer } from "segmentation-client";
import type { Owner } from "./owner.ts";
import { SignedInputs } from "./signed-inputs.ts";

type SharedInputs = Answer<"retrieveShare">;

/** The uploads that a share's link shows. */
export class Inputs extends SignedInputs {
  readonly share: SharedInputs["share"];

  private constructor(owner: Owner, { share, inputs }: SharedInputs) {
    const { jobId } = share;
    const ask = async () => (await owner.api.retrieveShare({ jobId }, { signal: owner.signal })).inputs;
    super(owner, ask, inputs);
    this.share = share;
  }

  /** Fetches the uploads of a job's link. @throws SegmentationError with the status 401 if it has ended */
  static async open(owner: Owner, jobId: string): Promise<Inputs> {
    return new Inputs(owner, await owner.api.retrieveShare({ jobId }, { signal: owner.signal }));
  }
}
