/** A program whose paths fail where nobody catches it, beside one that responds when another path is called. */
import { SharedBytes } from '../../platform/http/body-budget.ts';
import { NodeHost } from '../../platform/http/node-host.ts';
import { serve } from '../serve.ts';

const fail = () => {
  throw new Error('a prompt that no log may show');
};

/** The calls that wait for `/release`. */
const held: (() => void)[] = [];

const routes: Readonly<Record<string, () => Promise<Response>>> = {
  '/served': async () => new Response('served'),
  '/held': async () => {
    await new Promise<void>((resolve) => held.push(resolve));
    return new Response('well');
  },
  '/held-calls': async () => new Response(String(held.length)),
  '/release': async () => {
    for (const resolve of held.splice(0)) resolve();
    return new Response('released');
  },
  '/rejection': async () => {
    void Promise.resolve().then(fail);
    return new Response('rejected');
  },
  '/exception': async () => {
    setImmediate(fail);
    return new Response('thrown');
  },
  '/health': async () => new Response(host.isHealthy ? 'healthy' : 'unhealthy'),
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
  callMs: 600_000,
  maxCalls: 10,
});

host.isReady = process.env.IS_READY !== 'false';
serve(host, { info: print, warn: print, error: print }, { endCalls: () => {} });
