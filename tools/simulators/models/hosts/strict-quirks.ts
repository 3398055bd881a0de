/** The quirks of strict hosts: the rule that a request breaks, and the envelope of its rejection. */
import { isSignatureOf, signatureOf } from '../exchange/proof.ts';
import { callsOf, functionsOf, isJson, isSet, type Json, messagesOf, objectsIn } from './json-body.ts';
import type { Envelope, FieldRejection } from './refusal.ts';

/** Finds what a host refuses of a request; undefined when there is nothing. */
type Rule = (body: Json) => FieldRejection | undefined;

const rejectUnless = (isRight: boolean, field: string, reason: string): FieldRejection | undefined =>
  isRight ? undefined : { field, reason };

const unknownField =
  (field: string): Rule =>
  (body) =>
    rejectUnless(!isSet(body[field]), field, 'Extra inputs are not permitted');

/** The efforts of OpenAI's first reasoning models. */
const FEW_EFFORTS: readonly unknown[] = ['low', 'medium', 'high'];

/** The first message that a rule is against. */
const noMessage =
  (reason: string, isWrong: (message: Json, index: number, all: readonly Json[]) => boolean): Rule =>
  (body) => {
    const index = messagesOf(body).findIndex(isWrong);
    return rejectUnless(index < 0, `messages.${index}`, reason);
  };

const isSystem = ({ role }: Json): boolean => role === 'system' || role === 'developer';

const isEmpty = (content: unknown): boolean =>
  !isSet(content) || content === '' || (Array.isArray(content) && content.length === 0);

const NINE_CHARACTERS = /^[a-zA-Z0-9]{9}$/u;

/** Rejects ids of calls and of their results that are not nine letters and digits. */
const callIdsOf = (message: Json): readonly unknown[] => [
  ...callsOf(message).map(({ id }) => id),
  ...(message.role === 'tool' ? [message.tool_call_id] : []),
];

const wantsField = (name: string): Rule =>
  noMessage(
    `The ${name} of a message with tool calls must be passed back`,
    (message) => callsOf(message).length > 0 && typeof message[name] !== 'string',
  );

/**
 * The placeholder signatures that Google documents for calls of another model (Gemini API docs, "Thought signatures",
 * FAQs).
 */
const PLACEHOLDERS = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

const SCOPE = ['host'];

/** The proof of a call by its name: arguments may be written again in another form. */
export const callSignature = (name: unknown): string => signatureOf(SCOPE, String(name));

function isSignatureValid({ function: called, extra_content: extra }: Json): boolean {
  const google = isJson(extra) ? extra.google : undefined;
  const signature = isJson(google) ? google.thought_signature : undefined;
  const name = isJson(called) ? called.name : undefined;
  return PLACEHOLDERS.includes(String(signature)) || isSignatureOf(SCOPE, String(name), signature);
}

/** Keywords whose values are schemas by name, those that hold one, and those that hold a list. */
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties'];
const NESTED = ['items', 'additionalProperties', 'not', 'contains'];
const LISTED = ['anyOf', 'allOf', 'oneOf', 'prefixItems', 'items'];

/** A schema and all schemas within it. */
function* schemasIn(schema: unknown): Generator<Json> {
  if (!isJson(schema)) return;
  yield schema;
  for (const keyword of NAMED)
    for (const inner of Object.values(isJson(schema[keyword]) ? schema[keyword] : {}))
      yield* schemasIn(inner);
  for (const keyword of NESTED) yield* schemasIn(schema[keyword]);
  for (const keyword of LISTED) for (const inner of objectsIn(schema[keyword])) yield* schemasIn(inner);
}

/** The first tool with a schema that the rule is against. */
const noSchema =
  (reason: string, isWrong: (schema: Json) => boolean): Rule =>
  (body) => {
    const index = functionsOf(body).findIndex(({ parameters }) => schemasIn(parameters).some(isWrong));
    return rejectUnless(index < 0, `tools.${index}.function.parameters`, reason);
  };

const hasTuple = ({ items, prefixItems }: Json): boolean => Array.isArray(items) || isSet(prefixItems);

export const STRICT = {
  'no-developer-role': ['places', noMessage('Unknown role', ({ role }) => role === 'developer')],
  'only-max-tokens': ['text', unknownField('max_completion_tokens')],
  'only-max-completion-tokens': ['openai', unknownField('max_tokens')],
  'no-reasoning-effort': ['text', unknownField('reasoning_effort')],
  'few-efforts': [
    'openai',
    ({ reasoning_effort: effort }) =>
      rejectUnless(
        !isSet(effort) || FEW_EFFORTS.includes(effort),
        'reasoning_effort',
        'Must be low, medium or high',
      ),
  ],
  'no-store': ['places', unknownField('store')],
  'no-stream-options': ['bare', unknownField('stream_options')],
  'no-parallel-tool-calls': ['openai', unknownField('parallel_tool_calls')],
  'string-content': ['bare', noMessage('Content must be a string', ({ content }) => Array.isArray(content))],
  'system-first': [
    'bare',
    noMessage('A system message must be the first', (message, index) => index > 0 && isSystem(message)),
  ],
  'no-empty-assistant': [
    'openai',
    noMessage(
      'The assistant message must have content or tool calls',
      (message) => message.role === 'assistant' && isEmpty(message.content) && callsOf(message).length === 0,
    ),
  ],
  'assistant-after-tools': [
    'places',
    noMessage(
      'Unexpected role after a tool message',
      ({ role }, index, all) => role === 'user' && all[index - 1]?.role === 'tool',
    ),
  ],
  'nine-character-ids': [
    'places',
    noMessage('Tool call ids must be nine letters and digits', (message) =>
      callIdsOf(message).some((id) => !NINE_CHARACTERS.test(String(id))),
    ),
  ],
  'wants-reasoning-content': ['openai', wantsField('reasoning_content')],
  'wants-reasoning': ['bare', wantsField('reasoning')],
  /** The first call of every message has its signature. */
  'wants-thought-signature': [
    'google',
    noMessage('A function call is missing its thought_signature', (message) =>
      callsOf(message)
        .slice(0, 1)
        .some((first) => !isSignatureValid(first)),
    ),
  ],
  'no-strict-tools': [
    'text',
    (body) => {
      const index = functionsOf(body).findIndex(({ strict }) => isSet(strict));
      return rejectUnless(index < 0, `tools.${index}.function.strict`, 'Unknown field');
    },
  ],
  'simple-schemas': [
    'google',
    noSchema(
      'The schema has a tuple, a type beside anyOf, or an enum without a type',
      (schema) =>
        hasTuple(schema) ||
        (isSet(schema.anyOf) && isSet(schema.type)) ||
        (isSet(schema.enum) && schema.type === undefined),
    ),
  ],
  'all-required': [
    'openai',
    noSchema('Every property must be required', ({ properties, required }) => {
      const names: readonly unknown[] = Array.isArray(required) ? required : [];
      return isJson(properties) && Object.keys(properties).some((name) => !names.includes(name));
    }),
  ],
  'no-custom-tools': [
    'openai',
    ({ tools }) => {
      const index = objectsIn(tools).findIndex(({ type }) => type === 'custom');
      return rejectUnless(index < 0, `tools.${index}.type`, 'Unsupported tool type');
    },
  ],
} satisfies Readonly<Record<string, readonly [Envelope, Rule]>>;
