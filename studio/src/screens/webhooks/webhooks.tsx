import { Page } from "../../components/page.tsx";

/** To be filled. */
export default function Webhooks() {
  return <Page title="Webhooks">Soon.</Page>;
}
