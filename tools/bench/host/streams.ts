/** Callers of the shared host who each hold a stream open, and what each of them got. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { BenchAccount } from '../harness/service/account.ts';
import { FIRST_TEXT } from '../harness/upstream/answers.ts';

export interface StreamRun {
  readonly requestId: string | undefined;
  readonly account: BenchAccount;
  /** From the request to its first text; undefined without one. */
  readonly firstMs: number | undefined;
  /** The answer came to its own end. */
  readonly isComplete: boolean;
}

export interface StreamLoad {
  readonly url: string;
  readonly model: string;
  readonly accounts: readonly BenchAccount[];
  readonly count: number;
  /** Calls begin at this rate. */
  readonly perSecond: number;
}

const LONGEST_MS = 180_000;

/** Opens all streams, and resolves when each has ended or broken off; `onOpen` is called when all have been asked for. */
export async function streamAll(load: StreamLoad, onOpen: () => void = () => {}): Promise<StreamRun[]> {
  const { url, count, perSecond, accounts } = load;
  const pool = new Pool(url, { connections: count, headersTimeout: LONGEST_MS, bodyTimeout: LONGEST_MS });
  const startedMs = performance.now();
  const running: Promise<StreamRun>[] = [];
  try {
    for (let at = 0; at < count; at += 1) {
      const waitMs = startedMs + (at * 1000) / perSecond - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      const account = accounts[at % accounts.length];
      if (account !== undefined) running.push(stream(pool, load.model, account));
    }
    onOpen();
    return await Promise.all(running);
  } finally {
    await pool.destroy();
  }
}

async function stream(pool: Pool, model: string, account: BenchAccount): Promise<StreamRun> {
  const sinceMs = performance.now();
  let requestId: string | undefined;
  let firstMs: number | undefined;
  let tail = '';
  try {
    const { headers, body } = await pool.request({
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.credential}` },
      body: JSON.stringify({
        model,
        stream: true,
        max_tokens: 16_000,
        messages: [{ role: 'user', content: 'What does a gateway do?' }],
      }),
    });
    requestId = String(headers['x-request-id']);
    for await (const fragment of body as AsyncIterable<Buffer>) {
      if (firstMs === undefined && fragment.includes(FIRST_TEXT)) firstMs = performance.now() - sinceMs;
      tail = (tail + fragment.toString('latin1')).slice(-200);
    }
  } catch {
    // Whoever is cut off sees what it got by then.
  }
  return { requestId, account, firstMs, isComplete: tail.trimEnd().endsWith('data: [DONE]') };
}
