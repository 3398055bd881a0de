/** What strict hosts refuse of messages. */
import { isSignatureOf, signatureOf } from '../exchange/proof.ts';
import { callsOf, isJson, type Json, messagesOf } from './json-body.ts';
import type { Refusal } from './refusal.ts';
import type { Rule } from './request-rules.ts';

/** The first message that a rule is against. */
const firstWhere =
  (reason: string, isWrong: (message: Json, index: number, all: readonly Json[]) => boolean): Rule =>
  (body): Refusal | undefined => {
    const index = messagesOf(body).findIndex(isWrong);
    return index < 0 ? undefined : { field: `messages.${index}`, reason };
  };

export const noDeveloperRole = firstWhere('Unknown role', ({ role }) => role === 'developer');

export const stringContent = firstWhere('Content must be a string', ({ content }) => Array.isArray(content));

const isSystem = ({ role }: Json): boolean => role === 'system' || role === 'developer';

export const systemFirst = firstWhere(
  'A system message must be the first',
  (message, index) => index > 0 && isSystem(message),
);

const isEmpty = (content: unknown): boolean =>
  content === undefined ||
  content === null ||
  content === '' ||
  (Array.isArray(content) && content.length === 0);

export const noEmptyAssistant = firstWhere(
  'The assistant message must have content or tool calls',
  (message) => message.role === 'assistant' && isEmpty(message.content) && callsOf(message).length === 0,
);

export const assistantAfterTools = firstWhere(
  'Unexpected role after a tool message',
  ({ role }, index, all) => role === 'user' && all[index - 1]?.role === 'tool',
);

const NINE_CHARACTERS = /^[a-zA-Z0-9]{9}$/u;

/** Of calls and of their results. */
export const nineCharacterIds = firstWhere('Tool call ids must be nine letters and digits', (message) =>
  [...callsOf(message).map(({ id }) => id), ...(message.role === 'tool' ? [message.tool_call_id] : [])].some(
    (id) => !NINE_CHARACTERS.test(String(id)),
  ),
);

const wantsField = (name: 'reasoning_content' | 'reasoning'): Rule =>
  firstWhere(
    `The ${name} of a message with tool calls must be passed back`,
    (message) => callsOf(message).length > 0 && typeof message[name] !== 'string',
  );

export const wantsReasoningContent = wantsField('reasoning_content');
export const wantsReasoning = wantsField('reasoning');

/** What Google documents for calls that another model made (Gemini API docs, "Thought signatures", FAQs). */
const PLACEHOLDERS = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

const SCOPE = ['host'];

/** The proof of a call by its name: arguments may be written again in another form. */
export const callProof = (name: unknown): string => signatureOf(SCOPE, String(name));

function isProven({ function: called, extra_content: extra }: Json): boolean {
  const google = isJson(extra) ? extra.google : undefined;
  const signature = isJson(google) ? google.thought_signature : undefined;
  const name = isJson(called) ? called.name : undefined;
  return PLACEHOLDERS.includes(String(signature)) || isSignatureOf(SCOPE, String(name), signature);
}

/** The first call of every message has its signature. */
export const wantsThoughtSignature = firstWhere(
  'A function call is missing its thought_signature',
  (message) => {
    const [first] = callsOf(message);
    return first !== undefined && !isProven(first);
  },
);
