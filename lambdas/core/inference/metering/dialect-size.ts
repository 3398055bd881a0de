/** Tokens, at most, that a route's dialect adds to a prompt on its way out. */
import { isJsonObject, type JsonObject } from '../../json/lossless-json.ts';
import type { Dialect } from '../catalog/dialect.ts';
import { boundTextTokens } from './estimate.ts';

/** A message that stands between two others, and the marks around a reminder: each a dozen tokens and the message's edges. */
const TOKENS_PER_MESSAGE = 48;

/** What one object of a schema may get: a type, an alternative that is null, or the list that a tuple becomes. */
const TOKENS_PER_SCHEMA = 32;

/** `messages`: of the whole prompt. Names of properties are repeated where they become required. */
export function dialectTokens(dialect: Dialect | undefined, body: JsonObject, messages: number): number {
  if (dialect === undefined) return 0;
  const { schemas, all_properties_required: isWhole } = dialect;
  const { empty_assistant: filled, assistant_after_tools: parted, system_messages: placed } = dialect;
  const adds = filled === false || parted === true || placed === 'first';
  const ofMessages = adds ? (messages + 1) * TOKENS_PER_MESSAGE : 0;
  if (schemas === undefined && isWhole === undefined) return ofMessages;
  return ofMessages + sizeOf([body.tools, body.response_format, body.output_config, body.text]);
}

/** Of everything that may be a schema, however deep; the body of a request is checked for its depth. */
function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + sizeOf(each), 0);
  if (!isJsonObject(value)) return 0;
  const { properties } = value;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const own = TOKENS_PER_SCHEMA + boundTextTokens(names);
  return Object.values(value).reduce<number>((sum, each) => sum + sizeOf(each), own);
}
