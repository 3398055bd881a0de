/** A queue with SQS's own settings, for tests that change some of them. */
import { regionalArn } from '../assembly/identities.ts';
import { ACCOUNT_ID } from '../assembly/intrinsics.ts';
import type { QueueDescription } from '../assembly/queues.ts';

export const describedQueue = (name: string, changes: Partial<QueueDescription> = {}): QueueDescription => ({
  name,
  arn: regionalArn('sqs', name),
  url: `https://sqs.us-east-1.amazonaws.com/${ACCOUNT_ID}/${name}`,
  visibilityMs: 30_000,
  delayMs: 0,
  retentionMs: 86_400_000,
  dead: undefined,
  ...changes,
});
