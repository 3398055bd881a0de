/** Facts of Claude on every route that it has. */

/** The minimum `top_p` with thinking (Claude docs, Extended thinking). */
export const MIN_TOP_P = 0.95;

/** Returns whether the text has visible characters. Claude rejects texts and stop sequences of only white space. */
export const isNotBlank = (text: string): boolean => text.trim() !== '';

/** Its own id on Bedrock, or that of an inference profile, or an ARN of either. */
export const isClaudeOnBedrock = (modelId: string): boolean => /(^|[./])anthropic\./.test(modelId);
