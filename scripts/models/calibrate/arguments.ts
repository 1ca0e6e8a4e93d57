import { usageError } from "../../shared/command-line.ts";
import type { Provider } from "../provider.ts";

/** A validated command line; paths are as given. */
export interface CalibrateCommand {
  readonly action: "calibrate";
  readonly folder: string;
  readonly provider: Provider;
  readonly pictures: string;
  readonly labels: string;
}

interface Given {
  readonly pictures?: string | undefined;
  readonly labels?: string | undefined;
}

/** Validates the options of `calibrate`. @throws Failure, a usage error */
export function calibrateCommand(
  folder: string,
  provider: Provider,
  { pictures, labels }: Given,
): CalibrateCommand {
  if (pictures === undefined || labels === undefined)
    throw usageError(
      "calibrate needs --pictures DIR and --labels FILE: some fifty pictures or more, whose labels are complete.",
    );
  return { action: "calibrate", folder, provider, pictures, labels };
}
