import { useRoute } from "preact-iso";
import { EndpointScreen } from "./endpoint-screen.tsx";
import { Endpoints } from "./endpoints.tsx";
import "./webhooks.css";

/** The account's webhook endpoints, or one of them with its deliveries. */
export default function Webhooks() {
  const { endpointId } = useRoute().params;
  return endpointId === undefined ? (
    <Endpoints />
  ) : (
    <EndpointScreen key={endpointId} endpointId={endpointId} />
  );
}
