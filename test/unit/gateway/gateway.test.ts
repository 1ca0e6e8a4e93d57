import { PROTOCOL } from "@segmentation/protocol";
import { describe, expect, it } from "vitest";
import { handshakeOf } from "../../../src/gateway/rules/handshake.ts";
import { byLoad, inOrder } from "../../../src/gateway/rules/order.ts";
import { aModel } from "../../support/a-model.ts";
import { aTask } from "../../support/a-task.ts";

describe("a connection's first frame", () => {
  const hello = {
    type: "hello",
    protocol: PROTOCOL,
    version: "0.1.0",
    device: "cpu",
    places: 1,
    model: aModel(),
    tasks: [],
  };

  it("is a hello of this protocol", () => {
    expect(handshakeOf(hello)).toEqual({ outcome: "accepted", hello });
  });

  it.each([
    [PROTOCOL - 1, "Upgrade the inference service."],
    [PROTOCOL + 1, "Upgrade the Worker: npm run deploy."],
  ])("of version %i is told what to do: %s", (protocol, remedy) => {
    const sentence = `The service speaks version ${protocol} of the protocol, the Worker ${PROTOCOL}. ${remedy}`;
    expect(handshakeOf({ ...hello, protocol })).toEqual({ outcome: "incompatible", sentence });
  });

  it.each([undefined, { type: "ended", key: "key" }, { ...hello, places: 0 }])("is not %j", (content) => {
    const sentence = "The first frame of a service is its hello.";
    expect(handshakeOf(content)).toEqual({ outcome: "misbehaved", sentence });
  });
});

describe("the workers for a task", () => {
  const worker = (name: string, held: number, places: number, label = "bright") => ({
    name,
    held,
    places,
    model: aModel({ vocabulary: [label] }),
  });
  const [full, half, idle] = [worker("full", 1, 1), worker("half", 2, 4), worker("idle", 1, 4)];

  it("come by their load", () => {
    expect(byLoad([full, half, idle])).toEqual([idle, half, full]);
  });

  it("come with the one first that has the picture's features", () => {
    expect(inOrder([half, full, idle], aTask("key"), null)).toEqual([idle, half, full]);
    expect(inOrder([half, full, idle], aTask("key"), "full")).toEqual([full, idle, half]);
  });

  it("have a model that knows its words", () => {
    expect(inOrder([worker("other", 0, 1, "dark"), full], aTask("key"), "other")).toEqual([full]);
  });
});
