import { Page } from "../../components/page.tsx";

/** To be filled. */
export default function Segment() {
  return <Page title="Segment">Soon.</Page>;
}
