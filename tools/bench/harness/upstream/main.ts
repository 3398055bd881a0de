/** Runs the comparisons' upstream as a process of its own and sends its port to the parent. */
import { once } from 'node:events';
import { createUpstreamServer } from './server.ts';

const server = createUpstreamServer().listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.(server.address());
process.once('disconnect', () => process.exit(0));
