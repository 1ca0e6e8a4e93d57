import "@fontsource-variable/instrument-sans/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { render } from "preact";

const root = document.querySelector("#studio");
if (root === null) throw new Error("The page has no place for the studio.");
render(<h1>Studio</h1>, root);
