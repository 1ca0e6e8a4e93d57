/** The page at `/`: what this is, and where to go on. */
export const LANDING_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Segmentation job service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/landing.css">
</head>
<body>
<main>
<h1>Segmentation job service</h1>
<p>Send pictures or a video with text prompts, and get masks back.</p>
<ol>
<li><b>Upload.</b> <code>POST /v1/uploads/presign</code>, then PUT the file to the URL it returns.</li>
<li><b>Segment.</b> <code>POST /v1/jobs</code> with the upload and your prompts, then poll the job.</li>
<li><b>Download.</b> <code>GET /v1/jobs/{jobId}/result</code> for the masks, or <code>/download</code> for a zip of them all.</li>
</ol>
<nav>
<a class="first" href="/docs">Reference</a>
<a href="/openapi.json">OpenAPI document</a>
<a href="/healthz">Health</a>
</nav>
</main>
</body>
</html>
`;

export const LANDING_STYLE = `:root { color-scheme: light dark; --ink: #1c2430; --soft: #5a6675; --paper: #fbfaf7; --line: #d9d6cd; --accent: #0f6b5c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e9ea; --soft: #9aa5b1; --paper: #14181d; --line: #313942; --accent: #5fd0b9; }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 14vh 1.5rem 4rem; }
h1 { margin: 0; font-size: 2.1rem; line-height: 1.2; letter-spacing: -0.02em; text-wrap: balance; }
p { margin: 0.6rem 0 2rem; color: var(--soft); font-size: 1.15rem; }
ol { margin: 0; padding: 1.2rem 0 1.2rem 1.4rem; border-block: 1px solid var(--line); }
li + li { margin-top: 0.5rem; }
li::marker { color: var(--accent); font-weight: 600; }
code { font: 0.88em ui-monospace, monospace; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 0.75rem 1.5rem; margin-top: 2rem; }
a { color: var(--accent); text-underline-offset: 0.2em; }
a.first { font-weight: 600; }
`;
