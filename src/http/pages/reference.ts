/** The page at `/docs`: Swagger UI over this service's own document. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Segmentation job service: reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The OpenAPI document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** The files in `docs/` of the Worker's assets that the page loads: two of swagger-ui-dist, and reference.js, which starts the viewer. */
export const REFERENCE_FILES: readonly string[] = ["swagger-ui.css", "swagger-ui-bundle.js", "start.js"];
