/**
 * A page that explains how a source is managed, because the service has no dashboard. It is the same for every ID, so
 * it doesn't reveal whether the source exists. `sourceId` doesn't need escaping, because it has passed `isSourceId()`.
 */
export function sourcePage(sourceId: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${sourceId}</title>
</head>
<body>
<h1>${sourceId}</h1>
<p>This service has no dashboard. Its operator manages sources with <code>pulse-service import FILE</code>
and keys with <code>pulse-service keys</code>.</p>
<p>Operator: set <code>PULSE_ADMIN_URL</code> to link to your own dashboard instead of this page.</p>
</body>
</html>
`;
}
