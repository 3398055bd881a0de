/** A process that only forwards: the CPU that no gateway on this runtime can save. */
import { join } from 'node:path';
import { startProgram } from '../../harness/process.ts';
import type { BenchUpstream } from '../../harness/upstream/process.ts';
import { bareContestant } from '../bare.ts';
import type { Contestant } from '../contestant.ts';

export const FORWARDER = 'bare forwarder';

/** Receives the requests of the bare upstream. */
export const forwarderContestant = (upstream: BenchUpstream): Contestant => ({
  ...bareContestant(upstream),
  name: FORWARDER,
  start: () => startProgram(join(import.meta.dirname, 'main.ts'), { UPSTREAM_URL: upstream.url }),
});
