/** A program whose paths fail where nobody catches it, beside one that responds when another path is called. */

import { SharedBytes } from '../../platform/http/body-budget.ts';
import { NodeHost } from '../../platform/http/node-host.ts';
import type { HostResponse } from '../../platform/http/request-handler.ts';
import { serve } from '../serve.ts';

const fail = () => {
  throw new Error('a prompt that no log may show');
};

const textOf = (body: string): HostResponse => ({ status: 200, headers: {}, body });

/** The calls that wait for `/release`. */
const held: (() => void)[] = [];

const routes: Readonly<Record<string, () => Promise<HostResponse>>> = {
  '/served': async () => textOf('served'),
  '/held': async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    return textOf('well');
  },
  '/held-calls': async () => textOf(String(held.length)),
  '/release': async () => {
    for (const resolve of held.splice(0)) resolve();
    return textOf('released');
  },
  '/rejection': async () => {
    void Promise.resolve().then(fail);
    return textOf('rejected');
  },
  '/exception': async () => {
    setImmediate(fail);
    return textOf('thrown');
  },
  '/health': async () => textOf(host.isHealthy ? 'healthy' : 'unhealthy'),
};

const BYTES = new SharedBytes(1_000);

const print = (message: string, fields?: object) => console.log(JSON.stringify({ message, ...fields }));

const host = new NodeHost({
  resolve: (_method, path) => ({
    handler: routes[path] ?? (async () => ({ ...textOf(''), status: 404 })),
    pathParameters: {},
    body: {
      maxBytes: 1_000,
      idleMs: 1_000,
      totalMs: 1_000,
      minRate: { bytesPerSecond: 1, overMs: 1_000 },
      budget: {
        arriving: BYTES,
        slow: BYTES,
        larger: BYTES,
        unproven: BYTES,
        complete: BYTES,
        afterSending: 1,
      },
    },
  }),
  clock: Date.now,
  callMs: 600_000,
  maxCalls: 10,
});

host.isReady = process.env.IS_READY !== 'false';
serve(host, { info: print, warn: print, error: print }, { endCalls: () => {} });
