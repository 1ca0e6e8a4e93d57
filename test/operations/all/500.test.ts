import { describe, expect, it, vi } from "vitest";
import { Accounts } from "../../../src/stores/accounts.ts";
import { newClient } from "../../support/worker/api.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("500", () => {
  it("tells nothing of what failed inside, but the request's id", async () => {
    const logged = vi.spyOn(console, "log").mockImplementation(() => {});
    vi.spyOn(Accounts.prototype, "findByKeyDigest").mockRejectedValue(new Error("D1_ERROR: secret details"));
    const answer = await (await newClient()).send("GET", "/v1/jobs");
    expectError(answer, 500, "internal_error");
    expect(JSON.stringify(answer.body)).not.toContain("secret details");
    const lines = logged.mock.calls.flat().filter((line) => String(line).includes("secret details"));
    expect(lines.join()).toContain(answer.headers.get("x-request-id"));
  });
});
