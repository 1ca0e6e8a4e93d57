import "@fontsource-variable/instrument-sans/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { Problem, Waiting } from "./components/layout/notice.tsx";
import { config, loadConfig } from "./state/config.ts";
import { followSession } from "./workspace/current.ts";
import { resume } from "./sign-in/sign-in.ts";

const root = document.querySelector("#studio");
if (root === null) throw new Error("The page has no element to put the studio into.");

render(<Waiting what="Opening the studio" />, root);
try {
  config.value = await loadConfig();
  followSession();
  const problem = await resume(config.value);
  render(<App problem={problem} />, root);
} catch (error) {
  render(<Problem error={error} onRetry={() => location.reload()} />, root);
}
