/** How a host of chat completions is asked to think, and where a JSON answer stands. */
import type { Dialect } from '../../lambdas/core/inference/catalog/dialect.ts';
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import { type Base, chat, SOME_TOKENS, user } from './chat-requests.ts';
import type { Findings } from './findings.ts';
import type { Answer } from './host.ts';

/** The smallest budget that Claude takes, tokens; the output must have more (Claude API docs, Extended thinking). */
const BUDGET = 1_024;

/** A way to ask a model to think, and not to. */
interface Way {
  readonly name: NonNullable<Dialect['reasoning_request']>;
  readonly on: JsonObject & { readonly bound: number };
  readonly off: JsonObject;
}

const OFF = { thinking: { type: 'disabled' } };

/** In the order in which they are tried; the finer ones first. */
const WAYS: readonly Way[] = [
  {
    name: 'effort',
    on: { reasoning_effort: 'high', bound: SOME_TOKENS },
    off: { reasoning_effort: 'none' },
  },
  { name: 'switch', on: { thinking: { type: 'enabled' }, bound: SOME_TOKENS }, off: OFF },
  {
    name: 'budget',
    on: { thinking: { type: 'enabled', budget_tokens: BUDGET }, bound: BUDGET + SOME_TOKENS },
    off: OFF,
  },
];

const PUZZLE = user('Which is larger, 9.11 or 9.9? Think about it.');

const thinks = (answer: Answer): boolean => answer.kind === 'taken' && answer.said.thinks;

/** The fields that ask for thinking, or against it, as far as the host has a way. */
export interface Thinking {
  readonly on: JsonObject;
  readonly off: JsonObject;
}

/**
 * Finds the way that changes whether the model thinks: where it does not by itself, one that makes it; else one that
 * keeps it from it.
 */
export async function findReasoning(findings: Findings, base: Base): Promise<Thinking> {
  const unasked = await findings.control(
    'a question to think about',
    chat(base, [PUZZLE], { bound: SOME_TOKENS }),
  );
  if (unasked.kind !== 'taken') {
    findings.cannotSay(['reasoning_request'], unasked.reason);
    return { on: {}, off: {} };
  }
  const alone = unasked.said.thinks;
  for (const { name, on, off } of WAYS) {
    const fields = alone ? { ...off, bound: SOME_TOKENS } : on;
    const answer = await findings.ask(
      `reasoning by ${name}${alone ? ', switched off' : ''}`,
      chat(base, [PUZZLE], fields),
    );
    if (answer.kind === 'unclear') findings.cannotSay(['reasoning_request'], answer.reason);
    if (answer.kind !== 'taken' || thinks(answer) === alone) continue;
    findings.set('reasoning_request', name);
    findings.unclear.delete('reasoning_request');
    return { on, off };
  }
  return { on: {}, off: {} };
}

const WANTED = '{"answer":"yes"}';

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

/** Finds whether a JSON answer stands in the reasoning. */
export async function findJsonAnswer(findings: Findings, base: Base, { off }: Thinking): Promise<void> {
  const fields = { ...off, response_format: { type: 'json_object' }, bound: SOME_TOKENS };
  const messages = [user(`Answer in JSON, exactly: ${WANTED}`)];
  const answer = await findings.ask('a JSON answer', chat(base, messages, fields));
  if (answer.kind !== 'taken') return findings.cannotSay(['json_answer'], answer.reason);
  const { text, reasoning } = answer.said;
  if (text === '' && isJson(reasoning)) findings.set('json_answer', 'reasoning');
}
