/** One call through each service that a bench measures: a service that rejects calls cannot be measured. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callOnce } from '../harness/load/call.ts';
import { CASES, CHAT, PACED_CASES, upstreamModel } from '../harness/load/cases.ts';
import { overPool } from '../harness/load/loops.ts';
import type { BenchAccount } from '../harness/service/account.ts';
import { catalogModel } from '../harness/service/bench-catalog.ts';
import { callChat, composeChat, readText, type SurfaceName } from '../harness/service/chat.ts';
import { ourContestant } from '../peers/ours.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe('the host of the benches `readers` and `peers`', () => {
  it.each([
    ['with the ledger', true],
    ['without the ledger', false],
  ])('serves a call of each case %s', async (_case, money) => {
    const contestant = ourContestant(stage, money);
    const before = await stage.totals();
    const host = await contestant.start();
    try {
      await overPool(host.url, 1, async (pool) => {
        // It rejects unless the response has status 200, content and its end.
        for (const testCase of [...CASES, ...PACED_CASES])
          await callOnce(pool, contestant.request(testCase, 0));
      });
    } finally {
      await host.stop();
    }
    const { off, held, usage } = await stage.totals();
    expect([off, held, usage > before.usage]).toEqual([0n, 0n, money]);
  });
});

describe('the endpoint of the benches `ledger` and `stream`', () => {
  it.each<SurfaceName>(['chat', 'messages', 'responses'])(
    'serves a call of the surface %s',
    async (surface) => {
      const { database, accounts } = stage;
      const { credential } = accounts[0] as BenchAccount;
      const { environment } = database;
      const handler = composeChat({ clients: database.connect(), environment, fetch, surface });
      const model = catalogModel('openai', upstreamModel(CHAT, 0));
      const text = { role: 'user', content: 'Hi' };
      const prompt = surface === 'responses' ? { input: 'Hi' } : { max_tokens: 16, messages: [text] };
      const response = await callChat(handler, { credential, surface, body: { model, ...prompt } });
      expect([response.status, JSON.parse(await readText(response))]).toMatchObject([200, { model }]);
    },
  );
});
