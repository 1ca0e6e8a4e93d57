import { describe, expect, it, vi } from "vitest";
import { Accounts } from "../../../src/stores/accounts.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import { newClient } from "./api.ts";
import { requestOf } from "./operations.ts";
import { expectError } from "./wire.ts";

/** The 500 of an operation. */
export function describeInternalError(operation: OperationId): void {
  describe(`${operation} 500`, () => {
    it("tells nothing of what failed inside, but the request's id, which the log has too", async () => {
      const logged = vi.spyOn(console, "log").mockImplementation(() => {});
      vi.spyOn(Accounts.prototype, "findByKeyDigest").mockRejectedValue(
        new Error("D1_ERROR: secret details"),
      );
      const { method, path, headers, body } = requestOf(operation);
      const answer = await (await newClient()).send(method, path, body, headers);
      expectError(answer, 500, "internal_error");
      expect(JSON.stringify(answer.body)).not.toContain("secret details");
      const lines = logged.mock.calls.flat().filter((line) => String(line).includes("secret details"));
      expect(lines.join()).toContain(answer.headers.get("x-request-id"));
    });
  });
}
