/** `GET /docs/{file}`: the scripts and styles of the reference page, compressed once, when the function was bundled. */
import { ServiceError } from '../../core/errors.ts';
import type { Endpoint } from '../../core/ports.ts';

/** Starts the reference; a file of its own, so that the page needs no inline script. */
const START = `window.addEventListener('DOMContentLoaded', () => {
  window.ui = SwaggerUIBundle({
    url: new URL('openapi.json', document.baseURI).href,
    dom_id: '#reference',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'list',
    filter: true,
    persistAuthorization: false,
    validatorUrl: null,
  });
});
`;

export interface DocsAssets {
  /** A file of the bundle as gzip; throws when the bundle lacks it. */
  readonly compressed: (file: string) => Promise<Uint8Array<ArrayBuffer>>;
  readonly gunzip: (bytes: Uint8Array) => Promise<Uint8Array<ArrayBuffer>>;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
]);

const HEADERS = { 'cache-control': 'public, max-age=86400', 'x-content-type-options': 'nosniff' };

export function getDocsAsset({ compressed, gunzip }: DocsAssets): Endpoint {
  return async (request, { pathParameters: { file = '' } }) => {
    if (file === 'start.js') {
      const headers = { ...HEADERS, 'content-type': 'text/javascript; charset=utf-8' };
      return new Response(START, { headers });
    }
    const type = TYPES.get(file);
    if (type === undefined)
      throw new ServiceError('not_found', 'The reference has no such file.', { param: 'file' });
    const bytes = await compressed(file);
    const headers = { ...HEADERS, 'content-type': type, vary: 'accept-encoding' };
    const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?(,|$))/i.test(
      request.headers.get('accept-encoding') ?? '',
    );
    if (!takesGzip) return new Response(await gunzip(bytes), { headers });
    return new Response(bytes, { headers: { ...headers, 'content-encoding': 'gzip' } });
  };
}
