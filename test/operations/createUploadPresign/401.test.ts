import { describeUnauthorized } from "../../support/worker/bad-credentials.ts";

describeUnauthorized("createUploadPresign");
