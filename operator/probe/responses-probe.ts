/** The probe of a host of OpenAI's Responses API (OpenAI API reference, Create a model response). */
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import { CITY } from './chat-requests.ts';
import type { Findings } from './findings.ts';

/** The smallest bound that OpenAI takes. */
const FEW_TOKENS = 16;
const SOME_TOKENS = 128;

/** Throws with the host's reason when not even a plain call works. */
export async function probeResponses(findings: Findings, model: string): Promise<void> {
  const request = (input: string, fields: JsonObject = {}): JsonObject => ({
    ...{ model, input, max_output_tokens: FEW_TOKENS, store: false },
    ...fields,
  });
  const plain = await findings.control('a plain call', request('Say OK.'));
  if (plain.kind !== 'taken') throw new Error(`a plain call does not work: ${plain.reason}`);
  await findings.ask('a stream', request('Say OK.', { stream: true }));
  const named = { name: 'weather', description: 'The weather of a city' };
  await findings.judge({
    ...{ flag: 'custom_tools', value: false, about: 'a custom tool' },
    request: request('Say OK.', { tools: [{ type: 'custom', ...named }] }),
    control: request('Say OK.', { tools: [{ type: 'function', ...named, parameters: CITY, strict: false }] }),
  });
  const thought = await findings.ask(
    'reasoning by effort',
    request('Which is larger, 9.11 or 9.9?', {
      reasoning: { effort: 'high' },
      max_output_tokens: SOME_TOKENS,
    }),
  );
  if (thought.kind === 'unclear') findings.cannotSay(['reasoning_request'], thought.reason);
  if (thought.kind === 'taken' && thought.said.thinks) findings.set('reasoning_request', 'effort');
}
