/** Portkey's gateway as it is published on npm: stateless, the route and its key in the headers of each request. */
import { dirname, join } from 'node:path';
import { installedFolder, npmInstall } from '../harness/installed.ts';
import { upstreamModel } from '../harness/load/cases.ts';
import { type Contestant, requestOf, startPeer } from './contestant.ts';

export const PORTKEY = 'Portkey';

const PACKAGE = '@portkey-ai/gateway';
const VERSION = '1.15.2';

/**
 * The ranges of its own manifest resolve to releases with which it answers 500 to every stream; these are those of
 * its own lock file's time, with which it streams.
 */
const OVERRIDES = { '@hono/node-server': '1.13.5', hono: '4.9.7' } as const;

/** Throws when it cannot be installed. */
export function portkeyContestant(upstreamUrl: string): Contestant {
  const folder = installedFolder(`portkey-${VERSION}`, (empty) =>
    npmInstall(empty, { dependencies: { [PACKAGE]: VERSION }, overrides: OVERRIDES }),
  );
  const program = join(folder, 'node_modules', PACKAGE, 'build', 'start-server.js');
  return {
    name: PORTKEY,
    // "messages is not supported by openai" is its answer to Messages over an OpenAI route.
    serves: ({ surface, protocol }) => surface === 'chat' || protocol === 'anthropic',
    request: (testCase, pauseMs) =>
      requestOf(testCase, upstreamModel(testCase, pauseMs), {
        'x-portkey-provider': testCase.protocol,
        'x-portkey-custom-host': `${upstreamUrl}/v1`,
        authorization: 'Bearer simulated',
      }),
    start: () =>
      startPeer({
        command: process.execPath,
        args: (port) => [program, '--headless', `--port=${port}`],
        cwd: dirname(program),
      }),
  };
}
