/** Tokens, at most, that a route's dialect adds to a prompt on its way out. */
import type { JsonObject } from '../../json/lossless-json.ts';
import type { Dialect } from '../catalog/dialect.ts';
import { boundTextTokens } from './estimate.ts';
import { TOKENS_PER_OBJECT } from './prompt-size.ts';

/** A message between two others, with its text, and the marks around a reminder. */
const OBJECTS_PER_MESSAGE = 3;

/**
 * Returns the tokens that a dialect adds at most. Schemas count once more: types, alternatives that are null, and names
 * of properties that become required.
 * @param messages of the whole prompt
 */
export function dialectTokens(dialect: Dialect | undefined, body: JsonObject, messages: number): number {
  if (dialect === undefined) return 0;
  const { schemas, all_properties_required: isWhole } = dialect;
  const { empty_assistant: filled, assistant_after_tools: parted, system_messages: placed } = dialect;
  const adds = filled === false || parted === true || placed === 'first';
  const ofMessages = adds ? (messages + 1) * OBJECTS_PER_MESSAGE * TOKENS_PER_OBJECT : 0;
  if (schemas === undefined && isWhole === undefined) return ofMessages;
  const { tools, response_format, output_config, text } = body;
  return ofMessages + boundTextTokens([JSON.stringify([tools, response_format, output_config, text])]);
}
