import { describe, expect, it } from '@jest/globals';
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { RetryLater } from '../core/errors.ts';
import { queueReader } from './consumers.ts';

const ARN = 'arn:aws:sqs:us-east-1:000000000000:work';

const eventOf = (...bodies: readonly string[]): SQSEvent =>
  ({
    Records: bodies.map((body, index) => ({ messageId: `${index} ${body}`, body, eventSourceARN: ARN })),
  }) as unknown as SQSEvent;

function reader(run: (body: unknown, queueArn: string) => Promise<void>) {
  const lines: string[] = [];
  const write = (message: string, fields: object = {}) => lines.push(`${message} ${JSON.stringify(fields)}`);
  const handler = queueReader(({ body, queueArn }) => run(body, queueArn), {
    info: write,
    warn: write,
    error: write,
  });
  const read = async (...bodies: readonly string[]) => {
    const response = (await handler(eventOf(...bodies), {} as Context)) as SQSBatchResponse;
    return response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { read, lines };
}

describe('a reader of a queue', () => {
  it('receives each message’s body and queue, and reports no failure for handled messages', async () => {
    const bodies: unknown[] = [];
    const { read } = reader(async (body, queueArn) => void bodies.push([body, queueArn]));
    expect(await read('{"a":1}', '"text"', 'null')).toEqual([]);
    expect(bodies).toEqual([
      [{ a: 1 }, ARN],
      ['text', ARN],
      [null, ARN],
    ]);
  });

  it('returns only failed messages to the queue, even if all failed', async () => {
    const { read } = reader(async (body) => {
      if (body !== 1) throw new Error('no');
    });
    expect(await read('1', '2', '1', '3')).toEqual(['1 2', '3 3']);
    expect(await read('2')).toEqual(['0 2']);
  });

  it('handles all messages of a batch at once', async () => {
    let [running, maxRunning] = [0, 0];
    const { read } = reader(async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    });
    await read(...Array.from({ length: 10 }, (_, index) => String(index)));
    expect(maxRunning).toBe(10);
  });

  it('separates batches that it handles concurrently', async () => {
    const { read } = reader(async (body) => {
      await new Promise((resolve) => setTimeout(resolve, Number(body) % 7));
      if (Number(body) % 2 === 1) throw new Error('odd');
    });
    const batches = Array.from({ length: 8 }, (_, batch) => [batch * 10, batch * 10 + 1].map(String));
    const failures = await Promise.all(batches.map((bodies) => read(...bodies)));
    expect(failures).toEqual(batches.map(([, odd]) => [`1 ${odd}`]));
  });

  it('logs the location of a failure, never the content of the message, and nothing for a message that only returns to the queue', async () => {
    const { read, lines } = reader(async (body) => {
      if (body === 'later') throw new RetryLater();
      throw new Error(`cannot handle ${JSON.stringify(body)}`);
    });
    expect(await read('"later"', '{"card":"4242"}', '{"card":"5555"')).toHaveLength(3);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^a message failed .*"stack":"\s+at /);
    expect(lines.join('\n').replaceAll(/"messageId":"(\\.|[^"\\])*"/g, '')).not.toMatch(
      /4242|5555|cannot handle/,
    );
  });
});
