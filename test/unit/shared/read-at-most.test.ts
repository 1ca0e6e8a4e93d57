import fc from "fast-check";
import { expect, it } from "vitest";
import { readAtMost } from "../../../src/shared/read-at-most.ts";

const chunks = fc.array(
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Uint8Array.from(bytes)),
  { maxLength: 8 },
);

it("a body is read whole up to its limit, and a larger one only to the chunk that exceeds it", async () => {
  await fc.assert(
    fc.asyncProperty(chunks, fc.nat(60), async (sent, mostBytes) => {
      let pulled = 0;
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          pull(controller) {
            const chunk = sent[pulled];
            if (chunk === undefined) return controller.close();
            pulled += 1;
            controller.enqueue(chunk);
          },
        },
        { highWaterMark: 0 },
      );
      const whole = sent.flatMap((chunk) => [...chunk]);
      const read = await readAtMost(body, mostBytes);
      expect(read && [...read]).toEqual(whole.length > mostBytes ? null : whole);
      let size = 0;
      const exceeding = sent.findIndex((chunk) => (size += chunk.length) > mostBytes);
      expect(pulled).toBe(exceeding === -1 ? sent.length : exceeding + 1);
    }),
  );
});
