import { Page } from "../../components/page.tsx";

/** To be filled. */
export default function Job() {
  return <Page title="Job">Soon.</Page>;
}
