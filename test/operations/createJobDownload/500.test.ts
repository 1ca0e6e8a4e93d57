import { describeInternalError } from "../../support/worker/internal-error.ts";

describeInternalError("createJobDownload");
