/** The output limit of a call that has none, in chat and Messages (interface, ChatCompletionRequest and MessagesRequest). */
export const DEFAULT_MAX_TOKENS = 256;

/**
 * Returns the description of a field that limits the output. Its schema has no `default`: clients that fill one in would
 * send it, in place of the default of the model.
 */
export const outputLimitText = (
  end: string,
  usual = `${DEFAULT_MAX_TOKENS}, unless the operator sets another for the model`,
): string =>
  `The most tokens of output, reasoning included. Default: ${usual}; the header \`x-max-tokens\` has the one that counted. Output that reaches it is cut: ${end}.`;
