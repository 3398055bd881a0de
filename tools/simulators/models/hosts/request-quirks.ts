/**
 * The quirks of hosts that judge a request: what they refuse, and what makes their model think. What has another form
 * than a rule looks for is skipped, because the format itself refuses it.
 */
import { isSignatureOf, signatureOf } from '../exchange/proof.ts';
import { RequestError } from '../exchange/request-error.ts';
import { schemasIn } from '../exchange/schemas.ts';
import { PLACEHOLDERS } from '../openai/reasoning.ts';
import { type HostQuirk, signed } from './answer-quirks.ts';
import { callsOf, isJson, isSet, type Json, objectIn, objectsIn } from './json.ts';

/** The refusals of hosts by field, as a path with dots, and reason; most are not OpenAI's, so that a client meets those of compatible servers. */
const ENVELOPES = {
  /** Most compatible servers share OpenAI's (OpenAI API reference, "Errors"). */
  openai: (param: string, reason: string) => ({
    error: {
      message: `${reason}: ${param}`,
      type: 'invalid_request_error',
      param,
      code: 'unsupported_parameter',
    },
  }),
  /** A list of places and messages, with the status 422 (FastAPI docs, "Handling Errors"). */
  places: (field: string, msg: string) => ({
    detail: [{ type: 'value_error', loc: ['body', ...field.split('.')], msg }],
  }),
  /** OpenAI's fields without an envelope, as vLLM had it (vLLM, `ErrorResponse` of its OpenAI server). */
  bare: (field: string, reason: string) => ({
    object: 'error',
    message: `${reason} (${field})`,
    type: 'BadRequestError',
    param: null,
    code: 400,
  }),
  /** A text as the error (xAI API reference, "Error codes"). */
  text: (field: string, reason: string) => ({
    code: 'Client specified an invalid argument',
    error: `${reason}: ${field}`,
  }),
  /** A list of one error with a status by name (Google API design guide, "Errors"). */
  google: (field: string, reason: string) => [
    { error: { code: 400, message: `${reason}: ${field}`, status: 'INVALID_ARGUMENT' } },
  ],
};
type Envelope = keyof typeof ENVELOPES;

/** Rejects the field that `find` finds. */
const rejects = (envelope: Envelope, reason: string, find: (body: Json) => string | undefined) => ({
  check(body: Json): void {
    const field = find(body);
    if (field === undefined) return;
    const status = envelope === 'places' ? 422 : 400;
    throw new RequestError(reason, [], { status, body: ENVELOPES[envelope](field, reason) });
  },
});

const rejectsField = (envelope: Envelope, field: string) =>
  rejects(envelope, 'Extra inputs are not permitted', (body) => (isSet(body[field]) ? field : undefined));

type IsWrong = (item: Json, index: number, all: readonly Json[]) => boolean;

/** Rejects the first wrong item of a list, whose place stands for `*` in the path. */
const rejectsIn =
  (path: string, listOf: (body: Json) => readonly Json[]) =>
  (envelope: Envelope, reason: string, isWrong: IsWrong) =>
    rejects(envelope, reason, (body) => {
      const index = listOf(body).findIndex(isWrong);
      return index < 0 ? undefined : path.replace('*', String(index));
    });

const rejectsMessage = rejectsIn('messages.*', ({ messages }) => objectsIn(messages));

/** The tools that are functions: within `function` in chat completions, the tool itself in Responses. */
const functionsOf = ({ tools }: Json): readonly Json[] =>
  objectsIn(tools)
    .filter(({ type }) => type === 'function')
    .map((tool) => (isJson(tool.function) ? tool.function : tool));

/** Rejects a function whose parameters have a wrong schema at any depth. */
const rejectsSchema = (envelope: Envelope, reason: string, isWrong: (schema: Json) => boolean) =>
  rejectsIn('tools.*.function.parameters', functionsOf)(envelope, reason, ({ parameters }) =>
    schemasIn(parameters).some(({ node }) => isWrong(node)),
  );

const isSystem = ({ role }: Json): boolean => role === 'system' || role === 'developer';

const isEmpty = (content: unknown): boolean =>
  !isSet(content) || content === '' || (Array.isArray(content) && content.length === 0);

const callIdsOf = (said: Json): readonly unknown[] => [
  ...callsOf(said).map(({ id }) => id),
  ...(said.role === 'tool' ? [said.tool_call_id] : []),
];

const wantsField = (envelope: Envelope, name: string) =>
  rejectsMessage(
    envelope,
    `The ${name} of a message with tool calls must be passed back`,
    (said) => callsOf(said).length > 0 && typeof said[name] !== 'string',
  );

/** The proof of a call is by its name, because arguments may be written again in another form. */
const SCOPE = ['host'];

function isSigned({ function: called, extra_content: extra }: Json): boolean {
  const { thought_signature: signature } = objectIn(objectIn(extra).google);
  const name = String(objectIn(called).name);
  return PLACEHOLDERS.includes(String(signature)) || isSignatureOf(SCOPE, name, signature);
}

/** The smallest budget that Claude takes, tokens (Claude API docs, "Extended thinking"). */
const MIN_BUDGET = 1_024;

function hasWrongBudget({ thinking, max_tokens: older, max_completion_tokens: newer }: Json): boolean {
  const { type, budget_tokens: budget } = objectIn(thinking);
  const isRight = Number(budget) >= MIN_BUDGET && !(Number(budget) >= Number(newer ?? older));
  return type === 'enabled' && !isRight;
}

const ask = (field: unknown, isOn: (value: unknown) => boolean): boolean | undefined =>
  isSet(field) ? isOn(field) : undefined;

const bySwitch = ({ thinking }: Json) => ask(objectIn(thinking).type, (type) => type === 'enabled');

const byBoolean = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined);

export const REQUEST_QUIRKS = {
  'no-developer-role': rejectsMessage('places', 'Unknown role', ({ role }) => role === 'developer'),
  'only-max-tokens': rejectsField('text', 'max_completion_tokens'),
  'only-max-completion-tokens': rejectsField('openai', 'max_tokens'),
  'no-reasoning-effort': rejectsField('text', 'reasoning_effort'),
  'no-store': rejectsField('places', 'store'),
  'no-stream-options': rejectsField('bare', 'stream_options'),
  'no-parallel-tool-calls': rejectsField('openai', 'parallel_tool_calls'),
  'string-content': rejectsMessage('bare', 'Content must be a string', ({ content }) =>
    Array.isArray(content),
  ),
  'system-first': rejectsMessage(
    'bare',
    'A system message must be the first',
    (said, index) => index > 0 && isSystem(said),
  ),
  'no-empty-assistant': rejectsMessage(
    'openai',
    'The assistant message must have content or tool calls',
    (said) => said.role === 'assistant' && isEmpty(said.content) && callsOf(said).length === 0,
  ),
  'assistant-after-tools': rejectsMessage(
    'places',
    'Unexpected role after a tool message',
    ({ role }, index, all) => role === 'user' && all[index - 1]?.role === 'tool',
  ),
  'nine-character-ids': rejectsMessage('places', 'Tool call ids must be nine letters and digits', (said) =>
    callIdsOf(said).some((id) => !/^[a-zA-Z0-9]{9}$/u.test(String(id))),
  ),
  'wants-reasoning-content': wantsField('openai', 'reasoning_content'),
  'wants-reasoning': wantsField('bare', 'reasoning'),
  /** The first call of every message has its signature. */
  'wants-thought-signature': {
    ...rejectsMessage(
      'google',
      'A function call is missing its thought_signature',
      (said) => !callsOf(said).slice(0, 1).every(isSigned),
    ),
    change: signed((name) => signatureOf(SCOPE, String(name))),
  },
  'no-strict-tools': rejectsIn('tools.*.function.strict', functionsOf)(
    'text',
    'Unknown field',
    ({ strict }) => isSet(strict),
  ),
  'simple-schemas': rejectsSchema(
    'google',
    'The schema has a tuple, a type beside anyOf, or an enum without a type',
    ({ items, prefixItems, anyOf, type, enum: values }) =>
      Array.isArray(items) ||
      isSet(prefixItems) ||
      (isSet(anyOf) && isSet(type)) ||
      (isSet(values) && type === undefined),
  ),
  'all-required': rejectsSchema('openai', 'Every property must be required', ({ properties, required }) => {
    const names: readonly unknown[] = Array.isArray(required) ? required : [];
    return Object.keys(objectIn(properties)).some((name) => !names.includes(name));
  }),
  'no-custom-tools': rejectsIn('tools.*.type', ({ tools }) => objectsIn(tools))(
    'openai',
    'Unsupported tool type',
    ({ type }) => type === 'custom',
  ),
  'thinks-by-effort': {
    thinks: ({ reasoning_effort: effort }) => ask(effort, () => effort !== 'none'),
  },
  /** In the form of Claude (Claude API docs, "OpenAI SDK compatibility", "Extended thinking"). */
  'thinks-by-budget': {
    ...rejects('openai', 'Must be at least 1024 and less than the output', (body) =>
      hasWrongBudget(body) ? 'thinking.budget_tokens' : undefined,
    ),
    thinks: bySwitch,
  },
  'thinks-by-switch': { thinks: bySwitch },
  /** Alibaba Cloud Model Studio, "Deep thinking". */
  'thinks-by-enable-thinking': { thinks: ({ enable_thinking: on }) => byBoolean(on) },
  /** The switches of chat templates (vLLM docs, "Reasoning Outputs"). */
  'thinks-by-template': {
    thinks({ chat_template_kwargs: switches }) {
      const { enable_thinking: on, thinking } = objectIn(switches);
      return byBoolean(on ?? thinking);
    },
  },
  /** An object with an effort or a number of tokens (OpenRouter docs, "Reasoning tokens"). */
  'thinks-by-reasoning': {
    thinks({ reasoning }) {
      const { effort, max_tokens: budget } = objectIn(reasoning);
      return ask(effort, () => effort !== 'none') ?? ask(budget, () => Number(budget) > 0);
    },
  },
  /** Together AI docs, "Reasoning". */
  'thinks-by-reasoning-enabled': { thinks: ({ reasoning }) => byBoolean(objectIn(reasoning).enabled) },
  /** Mistral docs, "Reasoning". */
  'thinks-by-prompt-mode': { thinks: ({ prompt_mode: mode }) => ask(mode, () => mode === 'reasoning') },
  /** The last: it decides where the request says nothing. */
  'thinks-unasked': { thinks: () => true },
} satisfies Readonly<Record<string, HostQuirk>>;
