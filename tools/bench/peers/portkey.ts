/** Portkey's gateway as it is published on npm: stateless, the route and its key in the headers of each request. */
import { dirname } from 'node:path';
import { freePort } from '../../local/process/free-port.ts';
import { bodyOf, endOf, PATHS, upstreamModel } from '../harness/load/cases.ts';
import { installPortkey } from './cache.ts';
import { type Contestant, startPeer } from './contestant.ts';

export const PORTKEY = 'Portkey';

/** Throws when it cannot be installed. */
export function portkeyContestant(upstreamUrl: string): Contestant {
  const program = installPortkey();
  return {
    name: PORTKEY,
    // "messages is not supported by openai" is its answer to Messages over an OpenAI route.
    serves: ({ surface, protocol }) => surface === 'chat' || protocol === 'anthropic',
    request: (testCase, pauseMs) => ({
      path: PATHS[testCase.surface],
      headers: {
        'content-type': 'application/json',
        'x-portkey-provider': testCase.protocol,
        'x-portkey-custom-host': `${upstreamUrl}/v1`,
        authorization: 'Bearer simulated',
      },
      body: bodyOf(testCase, upstreamModel(pauseMs)),
      end: endOf(testCase),
    }),
    async start() {
      const port = await freePort();
      const args = [program, '--headless', `--port=${port}`];
      return startPeer({ command: process.execPath, args, port, cwd: dirname(program) });
    },
  };
}
