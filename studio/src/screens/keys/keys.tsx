import { Page } from "../../components/page.tsx";

/** To be filled. */
export default function Keys() {
  return <Page title="Keys">Soon.</Page>;
}
