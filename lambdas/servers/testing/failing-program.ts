/** A program whose paths fail where nobody catches it, beside one that answers slowly. */
import { setTimeout as pause } from 'node:timers/promises';
import { SharedBytes } from '../../platform/http/body-budget.ts';
import { NodeHost } from '../../platform/http/node-host.ts';
import { serve } from '../serve.ts';

const fail = () => {
  throw new Error('a prompt that no log may show');
};

const routes: Readonly<Record<string, () => Promise<Response>>> = {
  '/slow': async () => {
    await pause(500);
    return new Response('well');
  },
  '/rejection': async () => {
    void Promise.resolve().then(fail);
    return new Response('rejected');
  },
  '/exception': async () => {
    setImmediate(fail);
    return new Response('thrown');
  },
};

const BYTES = new SharedBytes(1_000);

const print = (message: string, fields?: object) => console.log(JSON.stringify({ message, ...fields }));

const host = new NodeHost({
  resolve: (_method, path) => ({
    handler: routes[path] ?? (async () => new Response(null, { status: 404 })),
    pathParameters: {},
    body: {
      maxBytes: 1_000,
      idleMs: 1_000,
      totalMs: 1_000,
      minRate: { bytesPerSecond: 1, overMs: 1_000 },
      budget: { arriving: BYTES, slow: BYTES, complete: BYTES, afterSending: 1 },
    },
  }),
  clock: Date.now,
  callMs: 10_000,
  maxCalls: 10,
});

serve(host, { info: print, warn: print, error: print }, { endCalls: () => {} });
