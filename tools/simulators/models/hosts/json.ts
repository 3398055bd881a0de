/** The parts of a request's JSON body that hosts read. */

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectIn = (value: unknown): Json => (isJson(value) ? value : {});

export const objectsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isJson) : [];

export const callsOf = ({ role, tool_calls: calls }: Json): readonly Json[] =>
  role === 'assistant' ? objectsIn(calls) : [];

export const isSet = (value: unknown): boolean => value !== undefined && value !== null;
