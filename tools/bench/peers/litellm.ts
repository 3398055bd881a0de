/** LiteLLM's proxy as it is published on PyPI: one worker, no database, so no keys of callers and no money. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedFolder, pipInstall } from '../harness/installed.ts';
import { type Case, UPSTREAM_MODELS, upstreamModel } from '../harness/load/cases.ts';
import { type Contestant, requestOf, startPeer } from './contestant.ts';

export const LITELLM = 'LiteLLM';
const VERSION = '1.100.5';

/** Returns the name of the model of a protocol in LiteLLM. */
const nameOf = (protocol: Case['protocol'], upstream: string) => `${protocol}-${upstream}`;

/** Its configuration is YAML, of which JSON is a part. */
function configuration(upstreamUrl: string): string {
  const modelOf = (protocol: Case['protocol'], upstream: string, url: string) => ({
    model_name: nameOf(protocol, upstream),
    litellm_params: { model: `${protocol}/${upstream}`, api_base: url, api_key: 'simulated' },
  });
  const models = UPSTREAM_MODELS.flatMap((upstream) => [
    modelOf('openai', upstream, `${upstreamUrl}/v1`),
    modelOf('anthropic', upstream, upstreamUrl),
  ]);
  // It would else ask the OpenAI route for a Response (`/v1/responses`) and not for a chat completion.
  const settings = { use_chat_completions_url_for_anthropic_messages: true };
  return JSON.stringify({ model_list: models, litellm_settings: settings });
}

/** Throws when there is no Python or no package to be had. */
export function liteLlmContestant(upstreamUrl: string): Contestant {
  const folder = installedFolder(`litellm-${VERSION}`, (empty) =>
    pipInstall(join(empty, 'python'), `litellm[proxy]==${VERSION}`),
  );
  const program = join(folder, 'python', 'bin', 'litellm');
  return {
    name: LITELLM,
    serves: () => true,
    request: (testCase, pauseMs) =>
      requestOf(testCase, nameOf(testCase.protocol, upstreamModel(testCase, pauseMs)), {
        authorization: 'Bearer none',
      }),
    async start() {
      const cwd = mkdtempSync(join(tmpdir(), 'bench-litellm-'));
      const config = join(cwd, 'config.yaml');
      writeFileSync(config, configuration(upstreamUrl));
      const running = await startPeer({
        command: program,
        args: (port) => ['--config', config, '--host', '127.0.0.1', '--port', port, '--num_workers', '1'],
        // Its price map is otherwise fetched from a host on the internet at each start.
        environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
        cwd,
      });
      return {
        ...running,
        async stop() {
          await running.stop();
          rmSync(cwd, { recursive: true, force: true });
        },
      };
    },
  };
}
