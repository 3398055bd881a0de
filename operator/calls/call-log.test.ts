import { text as bodyText } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDynamoClients } from '../../lambdas/platform/aws/clients.ts';
import { QUERIES } from '../../lib/observability/queries.ts';
import { type LoopbackServer, startLoopbackServer } from '../../tools/simulators/loopback-server.ts';
import { findCall } from '../commands/call.ts';
import { createCallLog } from './call-log.ts';

const ID = 'req_01M7Y9QM2PEM5TNHBXR6ZWA76X';
const SECONDS = 1_795_239_432;
const LINES = QUERIES['lines-of-a-call']?.lines.join('\n| ') ?? '';

/** The requests that CloudWatch Logs has received, and the lines by log group. */
let received: [operation: string | undefined, input: Record<string, unknown>][] = [];
let lines: Readonly<Record<string, readonly object[]>> = {};
let polls = 0;
let server: LoopbackServer;

const OPERATIONS: Readonly<Record<string, (input: Record<string, unknown>) => object>> = {
  DescribeQueryDefinitions: () => ({
    queryDefinitions: [
      { name: 'prod/inference/lines-of-a-call', queryString: LINES, logGroupNames: ['calls'] },
      { name: 'prod/platform/lines-of-a-call-1-of-2', queryString: LINES, logGroupNames: ['platform'] },
      { name: 'prod/inference/deaths', queryString: 'fields @message', logGroupNames: ['calls'] },
    ],
  }),
  StartQuery: ({ logGroupNames }) => ({ queryId: String(logGroupNames) }),
  GetQueryResults({ queryId }) {
    polls += 1;
    if (polls === 1) return { status: 'Running', results: [] };
    const found = lines[String(queryId)] ?? [];
    const fieldsOf = (line: object) => Object.entries(line).map(([field, value]) => ({ field, value }));
    return { status: 'Complete', results: found.map((line) => fieldsOf({ ...line, '@ptr': 'x' })) };
  },
};

beforeAll(async () => {
  server = await startLoopbackServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).replace('Logs_20140328.', '');
    const input = JSON.parse(await bodyText(request));
    received.push([operation, input]);
    const output = OPERATIONS[operation]?.(input);
    response.writeHead(output === undefined ? 400 : 200).end(JSON.stringify(output ?? {}));
  }, 0);
});
beforeEach(() => {
  received = [];
  polls = 0;
});
const { client, onceClient } = createDynamoClients({
  region: 'eu-central-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
afterAll(async () => {
  for (const each of [client, onceClient]) each.destroy();
  await server.stop();
});

const find = (...args: readonly string[]) =>
  findCall(createCallLog(client, { endpoint: server.url, pollMs: 1 }), args, 'prod');

describe('the log of a call', () => {
  it('contains the lines of every log group in their order, from the minutes of the id', async () => {
    lines = {
      calls: [{ '@timestamp': '2026-11-21 05:37:13', message: 'answered', code: 'all_routes_failed' }],
      platform: [{ '@timestamp': '2026-11-21 05:37:12', message: 'route failed' }],
    };
    const { output, exitCode } = await find('--id', ID);
    expect(exitCode).toBe(0);
    expect(output.lines).toEqual([
      { '@timestamp': '2026-11-21 05:37:12', message: 'route failed' },
      { '@timestamp': '2026-11-21 05:37:13', message: 'answered', code: 'all_routes_failed' },
    ]);
    const started = received.flatMap(([operation, input]) => (operation === 'StartQuery' ? [input] : []));
    expect(started).toHaveLength(2);
    for (const { startTime, endTime, queryString } of started) {
      expect(Number(startTime)).toBeLessThanOrEqual(SECONDS);
      expect(Number(endTime) - Number(startTime)).toBe(1_260);
      expect(queryString).toContain(`requestId = '${ID}'`);
      expect(queryString).not.toContain("'ID'");
    }
  });

  it('causes exit code 1 if no line has the id', async () => {
    lines = {};
    expect(await find('--id', '3f2504e0-4f89-41d3-9a0c-0305e82c3301', '--hours', '2')).toMatchObject({
      exitCode: 1,
      text: 'no line of the log has 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    });
  });

  it.each(["x' or requestId like /./ or '", '', 'a'.repeat(129)])(
    'accepts no text as an id that would change the query: %j',
    async (id) => {
      await expect(find('--id', id)).rejects.toThrow('--id must be a request id');
      expect(received).toEqual([]);
    },
  );
});
