import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/app/routes.ts';
import type { Route } from '../../lambdas/platform/contract/route.ts';
import type { FunctionName } from '../../lib/config/grants.ts';
import { functionVariables } from '../../tools/bench/bundles/environment.ts';
import { bundlesFolder } from './bundles.ts';
import { CONSUMER_NAMES } from './functions.ts';

const folder = bundlesFolder();
const PRELOAD = join(import.meta.dirname, '..', 'deploy', 'lambda-runtime.ts');
const PROGRAM = join(import.meta.dirname, 'bare-process.ts');

/** A chunk of a streamed answer, or what the handler returned. */
type Line = Readonly<Record<string, unknown>>;

/** The JSON lines that one invocation printed, the log apart. */
async function invoke(name: FunctionName, event: object): Promise<readonly Line[]> {
  const child = spawn(process.execPath, ['--import', PRELOAD, PROGRAM, join(folder, name, 'index.mjs')], {
    // What Lambda sets, and nothing of this process: no PATH, no home, no module path.
    env: functionVariables(name),
    cwd: join(folder, name),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.end(JSON.stringify(event));
  const lines = (await text(child.stdout))
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Line).filter((line) => !('level' in line));
}

/** The functions that need nothing except their own bundle and settings. */
const SELF_CONTAINED = ['get-docs', 'get-console', 'list-identity-providers'];

const eventOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => ({
  httpMethod: method,
  path: path.replaceAll(/\{\w+\+?\}/g, 'x'),
  multiValueHeaders: { 'content-type': ['application/json'] },
  multiValueQueryStringParameters: null,
  pathParameters: Object.fromEntries([...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => [name, 'x'])),
  body: method === 'GET' ? null : '{}',
  isBase64Encoded: false,
});

interface BundleResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer of a buffered function, or of a streamed one put together. */
function readResponse(lines: readonly Line[]): BundleResponse {
  const [head] = lines.flatMap(({ metadata }) =>
    metadata === undefined ? [] : [metadata as BundleResponse],
  );
  if (head === undefined) return lines.at(-1)?.result as BundleResponse;
  const chunks = lines.flatMap(({ data }) => (typeof data === 'string' ? [Buffer.from(data, 'base64')] : []));
  return { ...head, body: Buffer.concat(chunks).toString() };
}

describe('a bundle in a bare process', () => {
  const routes: readonly Route[] = [
    ...ROUTES,
    {
      method: 'GET',
      path: '/nothing',
      endpoint: UNKNOWN_ROUTE_ENDPOINT,
      purpose: '',
      response: 'buffered',
      surface: 'openai',
      authentication: 'none',
      api: 'platform',
    },
  ];

  it.concurrent.each(routes.map((route) => [route.endpoint, route] as const))(
    'responds to a request without its dependencies: %s',
    async (name, route) => {
      const lines = await invoke(name as FunctionName, eventOf(route));
      const { statusCode, headers, body } = readResponse(lines);
      expect(headers['x-request-id']).toMatch(/^req_[0-9A-Z]{26}$/);
      expect(lines.some(({ metadata }) => metadata !== undefined)).toBe(route.response === 'streamed');
      if (name === 'get-index') expect([statusCode, JSON.parse(body).version]).toEqual([200, '3.0.0']);
      else if (SELF_CONTAINED.includes(name)) expect(statusCode).toBe(200);
      else if (name === UNKNOWN_ROUTE_ENDPOINT) expect(statusCode).toBe(404);
      else {
        // No table and no secret can be read: unless the request is refused before, the failure is ours, in our
        // own envelope, without a word of why.
        if (statusCode < 500) expect([400, 401, 404]).toContain(statusCode);
        expect(body).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|AggregateError/);
        expect(JSON.parse(body)).toBeInstanceOf(Object);
      }
    },
    30_000,
  );

  it.concurrent.each(CONSUMER_NAMES)(
    'fails for its invoker to try again: %s',
    async (name) => {
      const lines = await invoke(name, {});
      expect(lines.at(-1)).toHaveProperty('failure');
    },
    30_000,
  );
});
