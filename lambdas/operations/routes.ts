/** The routes by which the service shows itself: its description for programs and for people, and its console. */
import { OPEN, type Route } from '../platform/contract/route.ts';

export const REFERENCE_ROUTES = [
  {
    ...OPEN,
    method: 'GET',
    path: '/openapi.json',
    endpoint: 'get-openapi',
    purpose: 'the OpenAPI 3.1 description of all this',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/docs',
    endpoint: 'get-docs',
    purpose: 'the API reference, for people',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/docs/{file}',
    endpoint: 'get-docs-asset',
    purpose: 'scripts and styles of the reference',
    // Only a stream carries bytes as they are: the files are compressed.
    response: 'streamed',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/console',
    endpoint: 'get-console',
    purpose: 'the web console: balance, keys, activity, billing',
    response: 'streamed',
  },
  {
    ...OPEN,
    method: 'GET',
    path: '/console/{file}',
    endpoint: 'get-console-asset',
    purpose: 'scripts and styles of the console',
    response: 'streamed',
  },
] as const satisfies readonly Route[];
