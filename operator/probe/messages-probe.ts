/** The probe of a host of the Messages API (Claude API reference, Create a Message; docs, Extended and Adaptive thinking). */
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import { CITY, FEW_TOKENS, GREETING, SOME_TOKENS, user } from './chat-requests.ts';
import type { Findings } from './findings.ts';

/** The smallest budget that Claude takes, tokens; the output must have more. */
const BUDGET = 1_024;

const WAYS = [
  ['adaptive', { thinking: { type: 'adaptive' }, max_tokens: SOME_TOKENS }],
  ['budget', { thinking: { type: 'enabled', budget_tokens: BUDGET }, max_tokens: BUDGET + SOME_TOKENS }],
] as const;

/** Throws with the host's reason when not even a plain call works. */
export async function probeMessages(findings: Findings, model: string): Promise<void> {
  const request = (message: JsonObject, fields: JsonObject = {}): JsonObject => ({
    ...{ model, max_tokens: FEW_TOKENS, messages: [message] },
    ...fields,
  });
  const plain = await findings.control('a plain call', request(GREETING));
  if (plain.kind !== 'taken') throw new Error(`a plain call does not work: ${plain.reason}`);
  await findings.ask('a stream', request(GREETING, { stream: true }));
  await findings.ask('a tool', request(GREETING, { tools: [{ name: 'weather', input_schema: CITY }] }));
  for (const [name, fields] of WAYS) {
    const answer = await findings.ask(
      `reasoning, ${name}`,
      request(user('Which is larger, 9.11 or 9.9?'), fields),
    );
    if (answer.kind === 'unclear') findings.cannotSay(['reasoning_request'], answer.reason);
    if (answer.kind !== 'taken' || !answer.said.thinks) continue;
    findings.set('reasoning_request', name);
    findings.unclear.delete('reasoning_request');
    return;
  }
}
