import { AnyHello, GatewayHello, PROTOCOL } from "@segmentation/protocol";

/** The outcome of a connection's first frame: accepted, of another version of the protocol, or no first frame at all. */
export type Handshake =
  | { readonly outcome: "accepted"; readonly hello: GatewayHello }
  | { readonly outcome: "incompatible"; readonly sentence: string }
  | { readonly outcome: "misbehaved"; readonly sentence: string };

/** Reads the first frame of a connection. The sentence of a refusal fits into a close frame. */
export function handshakeOf(content: unknown): Handshake {
  const { protocol } = AnyHello.safeParse(content).data ?? {};
  if (protocol !== undefined && protocol !== PROTOCOL) {
    const remedy =
      protocol < PROTOCOL ? "Upgrade the inference service." : "Upgrade the Worker: npm run deploy.";
    const sentence = `The service speaks version ${protocol} of the protocol, the Worker ${PROTOCOL}. ${remedy}`;
    return { outcome: "incompatible", sentence };
  }
  const hello = GatewayHello.safeParse(content).data;
  return hello === undefined
    ? { outcome: "misbehaved", sentence: "The first frame of a service is its hello." }
    : { outcome: "accepted", hello };
}
