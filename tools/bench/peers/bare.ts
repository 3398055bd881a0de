/** The upstream itself, which every contestant stands before: what a call takes without any of them. */
import { upstreamModel } from '../harness/load/cases.ts';
import type { BenchUpstream } from '../harness/upstream/process.ts';
import { type Contestant, requestOf } from './contestant.ts';

export const BARE = 'bare upstream';

/** Asked in the protocol of the case's route: the surface that a contestant converts from is not its own. */
export const bareContestant = (upstream: BenchUpstream): Contestant => ({
  name: BARE,
  serves: () => true,
  request(testCase, pauseMs) {
    const surface = testCase.protocol === 'openai' ? 'chat' : 'messages';
    return requestOf({ ...testCase, surface }, upstreamModel(testCase, pauseMs), {
      authorization: 'Bearer none',
    });
  },
  start: async () => ({ ...upstream, stop: async () => {} }),
});
