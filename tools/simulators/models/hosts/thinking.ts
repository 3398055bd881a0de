/** The decision of a host's model to think for a request. Each host reads its own fields and no others. */
import { isJson, isSet, type Json } from './json-body.ts';
import { type FieldRejection, rejectionOf } from './refusal.ts';

/** The smallest budget that Claude takes, tokens (Claude API docs, "Extended thinking"). */
const MIN_BUDGET = 1_024;

/** Returns whether the request enables thoughts; undefined if it has no field that the host reads. */
type ThinkingCheck = (body: Json) => boolean | undefined;

const thinkingOf = ({ thinking }: Json): Json => (isJson(thinking) ? thinking : {});

const byEffort: ThinkingCheck = ({ reasoning_effort: effort }) =>
  isSet(effort) ? effort !== 'none' : undefined;

const bySwitch: ThinkingCheck = (body) => {
  const { type } = thinkingOf(body);
  return isSet(type) ? type === 'enabled' : undefined;
};

/** The bound of the output, under either name. */
const boundOf = ({ max_tokens: older, max_completion_tokens: newer }: Json): number => Number(newer ?? older);

const wrongBudget = (body: Json): FieldRejection | undefined => {
  const { type, budget_tokens: budget } = thinkingOf(body);
  const isRight = Number(budget) >= MIN_BUDGET && !(Number(budget) >= boundOf(body));
  if (type !== 'enabled' || isRight) return undefined;
  return { field: 'thinking.budget_tokens', reason: 'Must be at least 1024 and less than the output' };
};

/** In the form of Claude (Claude API docs, "OpenAI SDK compatibility", "Extended thinking"). */
const byBudget: ThinkingCheck = (body) => {
  const rejection = wrongBudget(body);
  if (rejection !== undefined) throw rejectionOf(rejection, 'openai');
  return bySwitch(body);
};

/** A field, or one of an object, that is true or false (Alibaba Cloud Model Studio, "Deep thinking"). */
const bySwitched = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

const objectIn = (value: unknown): Json => (isJson(value) ? value : {});

/** The switches of chat templates (vLLM docs, "Reasoning Outputs"). */
const byTemplate: ThinkingCheck = ({ chat_template_kwargs: switches }) =>
  bySwitched(objectIn(switches).enable_thinking ?? objectIn(switches).thinking);

/** An object with an effort or a number of tokens (OpenRouter docs, "Reasoning tokens"). */
const byReasoning: ThinkingCheck = ({ reasoning }) => {
  const { effort, max_tokens: budget } = objectIn(reasoning);
  if (isSet(effort)) return effort !== 'none';
  return isSet(budget) ? Number(budget) > 0 : undefined;
};

/** The methods of requesting reasoning, by quirk; a host without a method does not reason. */
export const THINKING = {
  'thinks-by-effort': byEffort,
  'thinks-by-budget': byBudget,
  'thinks-by-switch': bySwitch,
  'thinks-by-enable-thinking': ({ enable_thinking: on }: Json) => bySwitched(on),
  'thinks-by-template': byTemplate,
  'thinks-by-reasoning': byReasoning,
  // Together AI docs, "Reasoning".
  'thinks-by-reasoning-enabled': ({ reasoning }: Json) => bySwitched(objectIn(reasoning).enabled),
  // Mistral docs, "Reasoning".
  'thinks-by-prompt-mode': ({ prompt_mode: mode }: Json) => (isSet(mode) ? mode === 'reasoning' : undefined),
  // The last: it decides where the request says nothing.
  'thinks-unasked': () => true,
} satisfies Readonly<Record<string, ThinkingCheck>>;

/**
 * Returns whether the response starts with reasoning. Throws `RequestError` for a budget that the host does not accept.
 */
export function thinks(body: Json, quirks: ReadonlySet<string>): boolean {
  const modes: readonly (readonly [string, ThinkingCheck])[] = Object.entries(THINKING);
  const enabled = modes
    .filter(([quirk]) => quirks.has(quirk))
    .map(([, isRejectedBy]) => isRejectedBy(body))
    .find((result) => result !== undefined);
  return enabled ?? false;
}
