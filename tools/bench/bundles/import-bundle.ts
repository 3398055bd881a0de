/** Imports the bundle that its argument names, as Lambda's runtime does at a cold start, and prints the milliseconds. */
import { pathToFileURL } from 'node:url';

const [bundle = ''] = process.argv.slice(2);
// Lambda's runtime offers this to functions that stream (Lambda developer guide, response streaming).
Object.assign(globalThis, { awslambda: { streamifyResponse: (handler: unknown) => handler } });

const startedMs = performance.now();
const { handler } = await import(pathToFileURL(bundle).href);
const initMs = performance.now() - startedMs;
if (typeof handler !== 'function') throw new Error(`${bundle} exports no handler`);
console.log(initMs);
// Timers that a handler has set up are not waited for.
process.exit();
