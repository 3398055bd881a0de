/** The upstream itself, which every contestant stands before: what a call takes without any of them. */

import { bodyOf, endOf, upstreamModel } from '../harness/load/cases.ts';
import type { BenchUpstream } from '../harness/upstream/process.ts';
import type { Contestant } from './contestant.ts';

export const BARE = 'bare upstream';

/** Asked in the protocol of the case's route: the surface that a contestant converts from is not its own. */
export function bareContestant(upstream: BenchUpstream): Contestant {
  return {
    name: BARE,
    serves: () => true,
    request(testCase, pauseMs) {
      const surface = testCase.protocol === 'openai' ? 'chat' : 'messages';
      const native = { ...testCase, surface } as const;
      return {
        path: surface === 'chat' ? '/v1/chat/completions' : '/v1/messages',
        headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
        body: bodyOf(native, upstreamModel(pauseMs)),
        end: endOf(native),
      };
    },
    start: async () => ({ url: upstream.url, pid: upstream.pid, stop: async () => {} }),
  };
}
