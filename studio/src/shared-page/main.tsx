import "@fontsource-variable/instrument-sans/wght.css";
import "../styles/tokens.css";
import "../styles/base.css";
import { render } from "preact";
import { SegmentationClient } from "segmentation-client";
import { Problem, Waiting } from "../components/layout/notice.tsx";
import { config, loadConfig } from "../state/config.ts";
import { session } from "../state/session.ts";
import { SharedPage } from "./shared-page.tsx";

const root = document.querySelector("#studio");
if (root === null) throw new Error("The page has no element to put the result into.");

// Another link of the same job differs in nothing but the fragment.
addEventListener("hashchange", () => location.reload());

render(<Waiting what="Opening the result" />, root);
try {
  config.value = await loadConfig();
  const [, jobId = ""] = /^\/studio\/shared\/([^/]+)/.exec(location.pathname) ?? [];
  // The token is in the fragment, which no server sees, and in this page's memory.
  const token = location.hash.slice(1);
  if (token !== "")
    session.value = {
      kind: "link",
      client: new SegmentationClient({ apiKey: token, baseUrl: location.origin }),
    };
  render(<SharedPage jobId={jobId} />, root);
} catch (error) {
  render(<Problem error={error} onRetry={() => location.reload()} />, root);
}
