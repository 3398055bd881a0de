/** How a host of chat completions is asked to think, and where a JSON answer stands. */
import type { Dialect } from '../../lambdas/core/inference/catalog/dialect.ts';
import { EFFORTS, type Effort } from '../../lambdas/core/inference/catalog/efforts.ts';
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import { type Base, chat, FEW_TOKENS, GREETING, SOME_TOKENS, user } from './chat-requests.ts';
import type { Findings } from './findings.ts';
import type { Answer } from './host.ts';

/** The smallest budget that Claude takes, tokens; the output must have more (Claude API docs, Extended thinking). */
const BUDGET = 1_024;

/** A way to ask a model to think, and not to; the fields are those of `reasoning-request.ts`, where their sources stand. */
interface Way {
  readonly name: Exclude<NonNullable<Dialect['reasoning_request']>, 'adaptive' | 'none'>;
  readonly on: JsonObject;
  readonly off: JsonObject;
}

const OFF = { thinking: { type: 'disabled' } };

const templates = (on: boolean) => ({ chat_template_kwargs: { enable_thinking: on, thinking: on } });

/** In the order in which they are tried: those that say how much come before those that switch. */
const WAYS: readonly Way[] = [
  { name: 'effort', on: { reasoning_effort: 'high' }, off: { reasoning_effort: 'none' } },
  { name: 'switch', on: { thinking: { type: 'enabled' } }, off: OFF },
  {
    name: 'budget',
    on: { thinking: { type: 'enabled', budget_tokens: BUDGET }, bound: BUDGET + SOME_TOKENS },
    off: OFF,
  },
  { name: 'reasoning', on: { reasoning: { effort: 'high' } }, off: { reasoning: { effort: 'none' } } },
  {
    ...{ name: 'reasoning_enabled', on: { reasoning: { enabled: true } } },
    off: { reasoning: { enabled: false } },
  },
  {
    ...{ name: 'enable_thinking', on: { enable_thinking: true, thinking_budget: SOME_TOKENS / 2 } },
    off: { enable_thinking: false },
  },
  { name: 'chat_template_kwargs', on: templates(true), off: templates(false) },
  { name: 'prompt_mode', on: { prompt_mode: 'reasoning' }, off: {} },
];

const PUZZLE = user('Which is larger, 9.11 or 9.9? Think about it.');

const thinks = (answer: Answer): boolean => answer.kind === 'taken' && answer.said.thinks;

const puzzle = (base: Base, fields: JsonObject): JsonObject =>
  chat(base, [PUZZLE], { bound: SOME_TOKENS, ...fields });

/** The fields that ask for thinking, as far as the host has a way, and those that keep a model from it that thinks by itself. */
export interface Thinking {
  readonly on: JsonObject;
  readonly off: JsonObject;
}

const UNASKED: Thinking = { on: {}, off: {} };

/**
 * Finds the way that changes whether the model thinks: where it does not by itself, one that makes it; else one that
 * keeps it from it. Without one, a host that refuses an effort has no field for it.
 */
export async function findReasoning(findings: Findings, base: Base): Promise<Thinking> {
  const unasked = await findings.control('a question to think about', puzzle(base, {}));
  if (unasked.kind !== 'taken') {
    findings.cannotSay(['reasoning_request'], unasked.reason);
    return UNASKED;
  }
  const alone = unasked.said.thinks;
  let knowsEffort = true;
  for (const way of WAYS) {
    const answer = await askFor(findings, base, { way, alone });
    if (answer.kind === 'unclear') findings.cannotSay(['reasoning_request'], answer.reason);
    const changes = answer.kind === 'taken' && thinks(answer) !== alone;
    const takes = way.name === 'effort' && (await takesEffort(findings, base, { answer, alone }));
    if (way.name === 'effort') knowsEffort = answer.kind !== 'refused' || takes;
    if (!changes && !(takes && answer.kind === 'refused')) continue;
    findings.set('reasoning_request', way.name);
    findings.unclear.delete('reasoning_request');
    if (way.name === 'effort') await findEfforts(findings, base);
    return { on: way.on, off: alone && changes ? way.off : {} };
  }
  if (!knowsEffort) findings.set('reasoning_request', 'none');
  return UNASKED;
}

const askFor = (
  findings: Findings,
  base: Base,
  { way: { name, on, off }, alone }: { readonly way: Way; readonly alone: boolean },
): Promise<Answer> =>
  findings.ask(`reasoning by ${name}${alone ? ', switched off' : ''}`, puzzle(base, alone ? off : on));

const effortOf = (base: Base, effort: Effort): JsonObject =>
  chat(base, [GREETING], { reasoning_effort: effort, bound: FEW_TOKENS });

/** Whether a host that refuses to think at no effort, or at a high one, takes another. */
async function takesEffort(
  findings: Findings,
  base: Base,
  { answer, alone }: { readonly answer: Answer; readonly alone: boolean },
): Promise<boolean> {
  if (answer.kind !== 'refused' || !alone) return false;
  return (await findings.control('reasoning at the effort low', effortOf(base, 'low'))).kind === 'taken';
}

/** The efforts that not every host knows; who knows them all knows those between. */
const OUTER: readonly Effort[] = ['none', 'minimal', 'xhigh', 'max'];

/** Finds which efforts the host knows. */
async function findEfforts(findings: Findings, base: Base): Promise<void> {
  const taken = new Set<Effort>();
  const ask = async (effort: Effort) => {
    const answer = await findings.control(`reasoning at the effort ${effort}`, effortOf(base, effort));
    if (answer.kind === 'unclear') findings.cannotSay(['reasoning_efforts'], answer.reason);
    if (answer.kind === 'taken') taken.add(effort);
  };
  for (const effort of OUTER) await ask(effort);
  if (taken.size === OUTER.length || findings.unclear.has('reasoning_efforts')) return;
  for (const effort of EFFORTS) if (!OUTER.includes(effort)) await ask(effort);
  const [first, ...others] = EFFORTS.filter((effort) => taken.has(effort));
  if (first !== undefined && !findings.unclear.has('reasoning_efforts'))
    findings.set('reasoning_efforts', [first, ...others]);
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
