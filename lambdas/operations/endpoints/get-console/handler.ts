/** `GET /console`: the web console, a static page that calls the service that serves it. */

import { requireVariable, VARIABLES } from '../../../platform/contract/environment.ts';
import { HAS_MARKET } from '../../../platform/contract/features.ts';
import { noSuchFile } from '../../../platform/core/api/file-response.ts';
import { namedPage } from '../../../platform/core/api/named-page.ts';
import type { StreamingEndpoint } from '../../../platform/core/ports.ts';
import { createResources } from '../../../platform/handlers/resources.ts';
import { streamed } from '../../../platform/http/pipelines.ts';
import { createRequestHandler } from '../../../platform/http/request-handler.ts';
import { createCompressedFiles } from '../../../platform/system/compressed-files.ts';

/**
 * Allows no external and no inline code; images and audio from responses are data of the page itself. The only other
 * origin of requests is that of the uploads of builds.
 */
const policy = (uploadOrigin: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    'media-src blob:',
    `connect-src 'self' ${uploadOrigin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const SECURITY = {
  // For browsers and tools that do not support `frame-ancestors`.
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
};

/** The page names its files by their content, so it must be requested each time and the files never change. */
const PAGE = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };

const files = createCompressedFiles(import.meta.dirname);

const resources = createResources();
const headers = {
  ...PAGE,
  ...SECURITY,
  'content-security-policy': policy(
    HAS_MARKET ? requireVariable(resources.environment, VARIABLES.uploadOrigin) : '',
  ),
};

const name = requireVariable(resources.environment, VARIABLES.serviceName);

const getConsole: StreamingEndpoint = async () => {
  const bytes = await files.compressed('index.html');
  if (bytes === undefined) throw noSuchFile();
  return { headers, text: namedPage(new TextDecoder().decode(await files.gunzip(bytes)), name) };
};

/** Streamed, because only a stream transmits bytes unchanged. */
export const handler = streamed(createRequestHandler(getConsole, 'platform', resources));
