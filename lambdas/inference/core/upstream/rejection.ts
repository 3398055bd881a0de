/** The reason for which a route rejected a request, limited to the facts that its caller may read. */

/** Tokens of a request that exceeds the context window, if the route reports them. */
export interface Overflow {
  readonly prompt?: number | undefined;
  /** The tokens that may be written. Set if the prompt alone would fit. */
  readonly output?: number | undefined;
  readonly window?: number | undefined;
}

export interface UpstreamRejection {
  /** The prompt, or what may be written after it, does not fit into the model's context window. */
  readonly overflow?: Overflow;
  /** A filter of the host stopped the prompt before the model read it. */
  readonly filtered?: true;
  /** In the route's own words, without addresses, keys, ids and names of vendors; may be empty. */
  readonly reason: string;
}

/** The message of a prompt that a filter stopped. */
export const FILTERED_MESSAGE =
  "A content filter of the route's host stopped the prompt before the model read it. Nothing was charged. Change the prompt and try again.";

/**
 * Returns the message of an overflow, the same on every API format. Agents shorten their conversation if they detect
 * the first words (Claude Code, LangChain) or the second sentence (clients of OpenAI's API). They reduce the requested
 * output if the message contains both values (Claude Code).
 */
export function overflowMessage({ prompt, output, window }: Overflow): string {
  if (prompt !== undefined && output !== undefined && window !== undefined)
    return `input length and \`max_tokens\` exceed context limit: ${prompt} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again.`;
  const excess =
    prompt === undefined || window === undefined
      ? 'it exceeds the context window of this model'
      : `${prompt} tokens > ${window} maximum`;
  const maximum = window === undefined ? '' : ` This model's maximum context length is ${window} tokens.`;
  return `prompt is too long: ${excess}.${maximum} Reduce the length of the messages.`;
}
