// Starts the viewer. A file of its own, because the page's policy forbids inline scripts.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
