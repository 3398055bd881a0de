/** The index of the gateway: JSON, and a page with links for a browser. */
import { DEFAULT_RPM } from '../access/core/keys/key-state.ts';
import {
  INDEX_VERSION,
  INTERFACE_VERSION,
  IP_REQUESTS_PER_MINUTE,
  SERVICE_NAME,
} from '../platform/contract/limits.ts';
import { RELEASE } from '../platform/contract/release.ts';
import { namedPage } from '../platform/core/api/named-page.ts';
import { QUOTAS } from '../platform/core/api/quotas.ts';
import type { Index } from '../platform/core/api/service-status.ts';
import { jsonResponse } from '../platform/core/json/json-response.ts';
import type { HttpRequest, TextResponse } from '../platform/core/ports.ts';
import { ROUTES } from './routes.ts';

const INDEX: Index = {
  name: SERVICE_NAME,
  version: INDEX_VERSION,
  interface_version: INTERFACE_VERSION,
  release: RELEASE,
  endpoints: ROUTES.map(({ method, path, purpose }) => ({
    method,
    path: path.replace('+}', '}'),
    purpose,
  })),
  limits: {
    requests_per_minute_per_key: DEFAULT_RPM,
    requests_per_minute_per_ip: IP_REQUESTS_PER_MINUTE,
    ...QUOTAS,
  },
};

const STYLES = `html{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:3rem 1.5rem}li{margin:.5rem 0}a{color:inherit}`;

/** Relative addresses only: the pages are below the same stage or prefix. */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{NAME}</title><link rel="icon" href="data:,">
<style>${STYLES}</style>
</head>
<body><main>
<h1>{NAME}</h1>
<p>One prepaid API for every model. The base URL of OpenAI clients is this address followed by <code>/v1</code>, that of Anthropic clients this address.</p>
<ul>
<li><a href="console">Console</a>: sign in, credit, keys, receipts</li>
<li><a href="console#/models">Models and prices</a>, without an account</li>
<li><a href="docs">API reference</a>, which also sends calls</li>
<li>For programs: <a href="openapi.json">openapi.json</a>, <a href="health">health</a></li>
</ul>
</main></body>
</html>
`;

/** Nothing from elsewhere, no script, and only the styles of the page itself. */
const POLICY = [
  "default-src 'none'",
  "style-src 'sha256-ial9393NDMu5dGnNIeUV8c3mbSq+e3k21QR9WwRdcOA='",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
};

/** Returns the weight of a media type that the header names itself; 0 if it does not (RFC 9110, section 12.5.1). */
function weightOf(type: string, accept: string): number {
  const ranges = accept.split(',').map((range) =>
    range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  );
  const [, ...parameters] = ranges.find(([name]) => name === type) ?? [type, 'q=0'];
  return Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1) || 0;
}

export const indexJson = (): TextResponse => jsonResponse(INDEX);

/** Returns the page under the name that people read, if the request prefers HTML, as browsers do; JSON to all others. */
export function serviceIndex({ headers }: Pick<HttpRequest, 'headers'>, name: string): TextResponse {
  const accept = headers.get('accept') ?? '';
  const prefersPage = weightOf('text/html', accept) > weightOf('application/json', accept);
  const response = prefersPage ? { headers: PAGE_HEADERS, text: namedPage(PAGE, name) } : indexJson();
  return { ...response, headers: { ...response.headers, vary: 'accept' } };
}
