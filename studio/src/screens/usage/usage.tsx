import { Page } from "../../components/page.tsx";

/** To be filled. */
export default function Usage() {
  return <Page title="Usage">Soon.</Page>;
}
