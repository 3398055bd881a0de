/** Our own functions, as they deploy, in one process behind HTTP; with the ledger, and without it to price the money. */

import { bodyOf, endOf, PATHS, upstreamModel } from '../harness/load/cases.ts';
import { catalogModel } from '../harness/service/bench-catalog.ts';
import { type HostOptions, startHost } from '../host/process.ts';
import type { Contestant } from './contestant.ts';

export const OURS = 'ours';
export const OURS_WITHOUT_MONEY = 'ours, ledger off';

export interface OursOptions extends HostOptions {
  readonly name: string;
  /** Keys of as many accounts, which calls take in turn. */
  readonly credentials: readonly string[];
}

export function ourContestant({ name, credentials, ...host }: OursOptions): Contestant {
  let calls = 0;
  return {
    name,
    serves: () => true,
    request(testCase, pauseMs) {
      calls += 1;
      return {
        path: PATHS[testCase.surface],
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${credentials[calls % credentials.length]}`,
        },
        body: bodyOf(testCase, catalogModel(testCase.protocol, upstreamModel(pauseMs))),
        end: endOf(testCase),
      };
    },
    start: () => startHost(host),
  };
}
