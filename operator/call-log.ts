/**
 * `call find`: the log lines of a call by its request id, by the deployment's own saved queries. The id of a call contains
 * its time, so that the query reads minutes of the log.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { decodeTime } from 'ulid';
import * as z from 'zod';
import { createDynamoClients } from '../lambdas/platform/aws/clients.ts';
import { createJsonService } from '../lambdas/platform/aws/json-service.ts';
import { type Command, type CommandOutput, ok, options } from './arguments.ts';

/** Seconds since the epoch, both inclusive. */
interface LogSpan {
  readonly startTime: number;
  readonly endTime: number;
}

type LogLine = Readonly<Record<string, string>>;

export interface CallLog {
  /** Returns the lines with the id, oldest first. */
  find(stage: string, id: string, span: LogSpan): Promise<readonly LogLine[]>;
}

const REQUEST_MS = 10_000;

/** A query of minutes of the log takes a few seconds. */
const POLL_MS = 1_000;
const MAX_POLLS = 120;

/** CloudWatch Logs API reference: DescribeQueryDefinitions, StartQuery, GetQueryResults. */
const definitionsSchema = z.object({
  queryDefinitions: z
    .array(
      z.object({ name: z.string(), queryString: z.string(), logGroupNames: z.array(z.string()).optional() }),
    )
    .optional(),
});
const startedSchema = z.object({ queryId: z.string() });
const resultsSchema = z.object({
  status: z.string(),
  results: z.array(z.array(z.object({ field: z.string(), value: z.string() }))).optional(),
});

const QUERY = /\/lines-of-a-call(-\d+-of-\d+)?$/;

/** The column of a result that only identifies it (CloudWatch user guide, Supported logs and discovered fields). */
const POINTER = '@ptr';

/** `client` gives region and credentials. */
export function createCallLog(
  client: Pick<DynamoDBClient, 'config'>,
  { endpoint = process.env.AWS_ENDPOINT_URL, pollMs = POLL_MS } = {},
): CallLog {
  const send = createJsonService({
    client,
    endpoint,
    name: 'logs',
    target: 'Logs_20140328',
    timeoutMs: REQUEST_MS,
  });

  async function resultsOf(queryId: string): Promise<readonly LogLine[]> {
    for (let polls = 0; polls < MAX_POLLS; polls += 1) {
      const { status, results = [] } = resultsSchema.parse(await send('GetQueryResults', { queryId }));
      if (status === 'Complete')
        return results.map((line) =>
          Object.fromEntries(line.flatMap(({ field, value }) => (field === POINTER ? [] : [[field, value]]))),
        );
      if (status !== 'Running' && status !== 'Scheduled') throw new Error(`the query of the log: ${status}`);
      await sleep(pollMs);
    }
    throw new Error('the query of the log takes too long: repeat it with fewer --hours');
  }

  return {
    async find(stage, id, span) {
      const request = { queryDefinitionNamePrefix: `${stage}/`, maxResults: 1_000 };
      const { queryDefinitions = [] } = definitionsSchema.parse(
        await send('DescribeQueryDefinitions', request),
      );
      const queries = queryDefinitions.filter(({ name }) => QUERY.test(name));
      if (queries.length === 0)
        throw new Error(`the stage ${stage} has no saved query lines-of-a-call: deploy it`);
      const lines = await Promise.all(
        queries.map(async ({ queryString, logGroupNames }) => {
          const text = queryString.replaceAll("'ID'", `'${id}'`);
          const started = await send('StartQuery', { ...span, queryString: text, logGroupNames });
          return resultsOf(startedSchema.parse(started).queryId);
        }),
      );
      const timeOf = (line: LogLine) => line['@timestamp'] ?? '';
      return lines.flat().sort((a, b) => timeOf(a).localeCompare(timeOf(b)));
    },
  };
}

/** Ids of this service, of Lambda and of API Gateway, whose extended id is base64. They are inserted into the query. */
const ID = /^[\w=/+-]{1,128}$/;

const OWN_ID = /^req_([0-9A-HJKMNP-TV-Z]{26})$/;

/** A call takes 15 minutes at most, and its line may arrive a little later. */
const CALL_SECONDS = 20 * 60;
const HOUR_SECONDS = 3_600;

/** Returns the time of a call by its id, or else the last hours. */
function spanOf(id: string, hours: number, nowMs: number): LogSpan {
  const [, ulid] = OWN_ID.exec(id) ?? [];
  const now = Math.ceil(nowMs / 1000);
  if (ulid === undefined) return { startTime: now - hours * HOUR_SECONDS, endTime: now };
  const start = Math.floor(decodeTime(ulid) / 1000);
  return { startTime: start - 60, endTime: start + CALL_SECONDS };
}

export async function findCall(
  callLog: CallLog,
  args: readonly string[],
  stage: string,
): Promise<CommandOutput> {
  const { id, hours: count = '24' } = options(args, ['id'], ['hours']);
  const hours = Number(count);
  if (!ID.test(id)) throw new Error('--id must be a request id, as an error message ends with it');
  if (!Number.isInteger(hours) || hours < 1) throw new Error('--hours must be a whole number above 0');
  const lines = await callLog.find(stage, id, spanOf(id, hours, Date.now()));
  return {
    output: { id, lines },
    text:
      lines.length === 0
        ? `no line of the log has ${id}`
        : lines.map((line) => JSON.stringify(line)).join('\n'),
    exitCode: lines.length === 0 ? 1 : 0,
  };
}

async function findIn(stage: string, args: readonly string[]): Promise<CommandOutput> {
  const { client, onceClient } = createDynamoClients({});
  try {
    return await findCall(createCallLog(client), args, stage);
  } finally {
    for (const each of [client, onceClient]) each.destroy();
  }
}

export const CALL_COMMAND: Command = {
  usage: '--id ID [--hours N]',
  alone(args, stage) {
    if (stage !== undefined) return findIn(stage, args);
    const { id } = options(args, ['id'], ['hours']);
    const text = `the log of the local service is what "npm start" prints: search there for ${id}`;
    return { ...ok({ id, log: 'the output of npm start' }), text };
  },
  async run() {
    throw new Error('the log is read without a service');
  },
};
