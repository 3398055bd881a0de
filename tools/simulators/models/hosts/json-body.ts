/** The parts of a request's JSON body that hosts judge; what has another form is skipped, for the format itself refuses it. */

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isJson) : [];

export const messagesOf = ({ messages }: Json): readonly Json[] => objectsIn(messages);

/** The calls of an assistant's message. */
export const callsOf = ({ role, tool_calls: calls }: Json): readonly Json[] =>
  role === 'assistant' ? objectsIn(calls) : [];

/** The tools that are functions: within `function` in chat completions, the tool itself in Responses. */
export const functionsOf = ({ tools }: Json): readonly Json[] =>
  objectsIn(tools).flatMap((tool) => {
    if (tool.type !== 'function') return [];
    return isJson(tool.function) ? [tool.function] : [tool];
  });

/** A value that is there and says something. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;
