import { StatusBadge } from "../../components/status-badge.tsx";
import type { Endpoint } from "./delivery-words.ts";

/** Whether an endpoint is told of events; one that the service disabled is a problem, one that its account did is none. */
export function EndpointState({ endpoint: { disabled, disabledReason } }: { readonly endpoint: Endpoint }) {
  if (!disabled) return <StatusBadge tone="good">Enabled</StatusBadge>;
  return <StatusBadge tone={disabledReason === "by_account" ? "off" : "bad"}>Disabled</StatusBadge>;
}
