/** The log of calls, read by the deployment's own saved queries. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { createJsonService } from '../../lambdas/platform/aws/json-service.ts';

/** Seconds since the epoch, both inclusive. */
export interface LogSpan {
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
