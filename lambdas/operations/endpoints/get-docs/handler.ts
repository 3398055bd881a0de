/** `GET /docs`: the API's reference for people, which sends test calls to the service that serves it. */
import { staticHandler } from '../../../access/handlers/handlers.ts';
import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { namedPage } from '../../../platform/core/api/named-page.ts';

/** Relative addresses only: the page locates its files below a stage or a prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference: {NAME}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<nav class="swagger-ui"><div class="wrapper info__tos"><a href="console">{NAME}: console</a></div></nav>
<main id="reference"><noscript>This page needs JavaScript; <a href="openapi.json">openapi.json</a> does not.</noscript></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** Nothing from elsewhere, and nothing inline but the styles and pictures that the reference makes itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'public, max-age=300',
  'referrer-policy': 'no-referrer',
};

export const handler = staticHandler('platform', ({ environment }) => {
  const text = namedPage(PAGE, requireVariable(environment, VARIABLES.serviceName));
  return async () => ({ headers: HEADERS, text });
});
