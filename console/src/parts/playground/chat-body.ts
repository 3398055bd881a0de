/** The body of a chat completion, of what somebody has filled in. */
import type { ChatBody, SnippetTurn } from '../snippets/requests.ts';

/** Text as JSON; undefined when it is empty. Throws an error that names the field. */
function jsonOf(text: string, field: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${field} is not JSON.`);
  }
}

export interface Draft {
  readonly system: string;
  readonly tools: string;
  readonly schema: string;
  /** The most tokens of output; empty for the model's default. */
  readonly maxTokens: string;
}

/** Returns the body of a chat request. Empty fields are not sent. Throws if a JSON field is not valid JSON. */
export function chatBody(
  model: string,
  turns: readonly SnippetTurn[],
  { system, tools, schema, maxTokens }: Draft,
): ChatBody {
  const [parsedTools, parsedSchema] = [jsonOf(tools, 'Tools'), jsonOf(schema, 'The schema of the response')];
  return {
    model,
    ...(maxTokens === '' ? {} : { max_tokens: Number(maxTokens) }),
    messages: [...(system.trim() === '' ? [] : [{ role: 'system' as const, content: system }]), ...turns],
    ...(parsedTools === undefined ? {} : { tools: parsedTools }),
    ...(parsedSchema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parsedSchema } } }),
  };
}

/** Returns the turn of a message; `picture` is a data URL, empty for none. */
export const messageOf = (text: string, picture = ''): SnippetTurn => ({
  role: 'user',
  content:
    picture === ''
      ? text
      : [
          { type: 'text', text },
          { type: 'image_url', image_url: { url: picture } },
        ],
});

/** Returns the turns of the next request; while no message is written, those of the previous one. */
export function turnsToShow(
  turns: readonly SnippetTurn[],
  text: string,
  picture = '',
): readonly SnippetTurn[] {
  if (text.trim() !== '') return [...turns, messageOf(text, picture)];
  const requestTurns = turns.slice(0, turns.findLastIndex(({ role }) => role === 'user') + 1);
  return requestTurns.length === 0 ? [messageOf('Say hello.')] : requestTurns;
}
