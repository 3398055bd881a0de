/** Runs the simulated provider as a process of its own: `PORT` and `HOST` configure it. */
import { flushCompileCache } from 'node:module';
import { startUpstream } from './server.ts';

const { PORT, HOST } = process.env;
const upstream = await startUpstream({
  port: PORT === undefined ? 0 : Number(PORT),
  ...(HOST === undefined ? {} : { host: HOST }),
});
console.log(JSON.stringify({ url: upstream.url, control_url: upstream.controlUrl }));
// A killed process keeps nothing by itself of what it has compiled (NODE_COMPILE_CACHE).
flushCompileCache();

async function stop(): Promise<void> {
  await upstream.close();
  process.exit(0);
}

process.once('SIGTERM', stop);
process.once('SIGINT', stop);
/** The parent is gone, or wants this process gone. */
process.once('disconnect', stop);
