import { Page } from "../../components/page.tsx";

/** To be filled. */
export default function Jobs() {
  return <Page title="Jobs">Soon.</Page>;
}
