/** LiteLLM's proxy as it is published on PyPI: one worker, no database, so no keys of callers and no money. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../local/process/free-port.ts';
import { bodyOf, type Case, endOf, PATHS, PAUSES_MS, upstreamModel } from '../harness/load/cases.ts';
import { installLiteLlm } from './cache.ts';
import { type Contestant, startPeer } from './contestant.ts';

export const LITELLM = 'LiteLLM';

/** Returns the name of the model of a protocol in LiteLLM. */
const nameOf = (protocol: Case['protocol'], upstream: string) => `${protocol}-${upstream}`;

/** Its configuration is YAML, of which JSON is a part. */
function configuration(upstreamUrl: string): string {
  const models = PAUSES_MS.map(upstreamModel).flatMap((upstream) => [
    {
      model_name: nameOf('openai', upstream),
      litellm_params: { model: `openai/${upstream}`, api_base: `${upstreamUrl}/v1`, api_key: 'simulated' },
    },
    {
      model_name: nameOf('anthropic', upstream),
      litellm_params: { model: `anthropic/${upstream}`, api_base: upstreamUrl, api_key: 'simulated' },
    },
  ]);
  // It would else ask the OpenAI route for a Response (`/v1/responses`) and not for a chat completion.
  const settings = { use_chat_completions_url_for_anthropic_messages: true };
  return JSON.stringify({ model_list: models, litellm_settings: settings });
}

/** Throws when it cannot be installed. */
export function liteLlmContestant(upstreamUrl: string): Contestant {
  const program = installLiteLlm();
  return {
    name: LITELLM,
    serves: () => true,
    request: (testCase, pauseMs) => ({
      path: PATHS[testCase.surface],
      headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
      body: bodyOf(testCase, nameOf(testCase.protocol, upstreamModel(pauseMs))),
      end: endOf(testCase),
    }),
    async start() {
      const port = await freePort();
      const folder = mkdtempSync(join(tmpdir(), 'bench-litellm-'));
      const config = join(folder, 'config.yaml');
      writeFileSync(config, configuration(upstreamUrl));
      const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
      // Its price map is otherwise fetched from a host on the internet at each start.
      const environment = { LITELLM_LOCAL_MODEL_COST_MAP: 'True' };
      const running = await startPeer({ command: program, args, port, environment, cwd: folder });
      return {
        ...running,
        async stop() {
          await running.stop();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
