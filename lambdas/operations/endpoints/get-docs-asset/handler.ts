/** `GET /docs/{file}`: the scripts and styles of the reference page, compressed once, when the function was bundled. */

import { fileResponse, noSuchFile } from '../../../platform/core/api/file-response.ts';
import type { StreamingEndpoint } from '../../../platform/core/ports.ts';
import { createResources } from '../../../platform/handlers/resources.ts';
import { streamed } from '../../../platform/http/pipelines.ts';
import { createRequestHandler } from '../../../platform/http/request-handler.ts';
import { createCompressedFiles } from '../../../platform/system/compressed-files.ts';

/**
 * Starts the reference; a separate file, so that the page needs no inline script. It has the theme of the console, and offers
 * the ways to authorize that a page can use: cookies are sent by themselves, or not at all. The dialog opens with the focus
 * in its first field, which takes an API key: Swagger UI focuses each field in turn, so that the last would have it.
 */
const START = `const theme = localStorage.getItem('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
document.documentElement.classList.toggle('dark-mode', theme === 'dark');
const OFFERED = ['apiKey', 'session', 'operator'];
const isOffered = (requirement) => Object.keys(requirement).every((name) => OFFERED.includes(name));
const offered = ({ components, paths, ...spec }) => {
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path)))
    operation.security = operation.security.filter(isOffered);
  const schemes = Object.entries(components.securitySchemes).filter(([name]) => OFFERED.includes(name));
  const servers = [{ url: new URL('.', document.baseURI).href.slice(0, -1) }];
  return { ...spec, servers, paths, components: { ...components, securitySchemes: Object.fromEntries(schemes) } };
};
const focusFirst = () => document.querySelector('.auth-container input')?.focus();
const wrapActions = {
  spec: { updateJsonSpec: (update) => (spec) => update(offered(spec)) },
  auth: {
    showDefinitions: (show) => (definitions) => {
      show(definitions);
      setTimeout(focusFirst);
    },
  },
};
window.addEventListener('DOMContentLoaded', () => {
  window.ui = SwaggerUIBundle({
    url: new URL('openapi.json', document.baseURI).href,
    plugins: [() => ({ statePlugins: { spec: { wrapActions: wrapActions.spec }, auth: { wrapActions: wrapActions.auth } } })],
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

const TYPES: ReadonlyMap<string, string> = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
]);

const HEADERS = { 'cache-control': 'public, max-age=86400' };

const files = createCompressedFiles(import.meta.dirname);

const getDocsAsset: StreamingEndpoint = async (request, { pathParameters: { file = '' } }) => {
  if (file === 'start.js') {
    const headers = { ...HEADERS, 'content-type': 'text/javascript; charset=utf-8' };
    return { headers, text: START };
  }
  const type = TYPES.get(file);
  if (type === undefined) throw noSuchFile();
  return fileResponse(request, files, file, { ...HEADERS, 'content-type': type });
};

/** Streamed, because only a stream transmits bytes unchanged. */
export const handler = streamed(createRequestHandler(getDocsAsset, 'platform', createResources()));
