/** Runs the simulated provider as a process of its own, at `PORT` if it is free. */
import { flushCompileCache } from 'node:module';
import { startUpstream } from './server.ts';

const upstream = await startUpstream({ port: Number(process.env.PORT ?? 0) });
console.log(JSON.stringify({ url: upstream.url, control_url: upstream.controlUrl }));
// A killed process keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
flushCompileCache();

async function stop(): Promise<void> {
  await upstream.close();
  process.exit(0);
}

// The parent is gone, or wants this process gone.
for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(event, stop);
