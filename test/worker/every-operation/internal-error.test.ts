import { describe, expect, it, vi } from "vitest";
import { Accounts } from "../../../src/accounts/store/accounts.ts";
import { newClient } from "../../support/worker/client/api.ts";
import { OPERATION_IDS } from "../../support/operation-tables.ts";
import { requestOf } from "../../support/operation-requests.ts";
import { expectError } from "../../support/worker/client/wire.ts";

describe.each(OPERATION_IDS)("%s 500", (operation) => {
  it("reveals nothing of the internal failure except the request's id, which is in the log [4.1-5 7-8 7-13]", async () => {
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(Accounts.prototype, "findByKeyDigest").mockRejectedValue(new Error("D1_ERROR: secret details"));
    const { method, path, headers, body } = requestOf(operation);
    const answer = await (await newClient()).send(method, path, body, headers);
    expectError(answer, 500, "internal_error");
    expect(JSON.stringify(answer.body)).not.toContain("secret details");
    const lines = logged.mock.calls.flat().filter((line) => String(line).includes("secret details"));
    expect(lines.join()).toContain(answer.headers.get("x-request-id"));
  });
});
