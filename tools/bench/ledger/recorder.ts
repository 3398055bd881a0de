/** Separates a call's database work before the upstream is asked from the work after it, and keeps what was sent to each. */

import { backgroundTables, type Database } from '../../test-kit/database.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { callChat, composeChat, readText } from '../harness/service/chat.ts';
import { Traffic } from '../harness/service/traffic.ts';

type Half = ReturnType<Traffic['take']>;

export interface RecordedCall {
  readonly before: Half;
  readonly after: Half;
  readonly upstream: Parameters<typeof fetch>;
}

/** Returns what makes a call of the chat endpoint; it throws when the call does not reach the upstream. */
export function callRecorder(database: Database, { credential }: BenchAccount, body: object) {
  const clients = database.connect();
  const traffic = new Traffic(clients, backgroundTables(database));
  const asked: Omit<RecordedCall, 'after'>[] = [];
  const recordingFetch: typeof fetch = (...upstream) => {
    asked.push({ before: traffic.take(), upstream });
    return fetch(...upstream);
  };
  const handler = composeChat({ clients, environment: database.environment, fetch: recordingFetch });
  return async (headers: Readonly<Record<string, string>> = {}): Promise<RecordedCall> => {
    traffic.take();
    await readText(await callChat(handler, { credential, body, headers }));
    const start = asked.pop();
    if (start === undefined) throw new Error('the call did not reach the upstream');
    return { ...start, after: traffic.take() };
  };
}
