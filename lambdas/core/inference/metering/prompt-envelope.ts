/** Tokens, at most, of what stands around the texts of a prompt: what a protocol, or the change to another one, adds. */

/** Role, separators and the reply's primer (OpenAI cookbook, "How to count tokens with tiktoken": 3 + 3). */
export const TOKENS_PER_MESSAGE = 6;

/** The type and the edges of a part, or what a route of another protocol has around it. */
export const TOKENS_PER_PART = 8;

/** What stands around each text of a system message between turns where a route takes it in a user's message. */
export const TOKENS_PER_REMINDER = 24;

/** The declaration that a call's tool may need on a route of another protocol, and the text before a result's images. */
export const TOKENS_PER_CALL = 24;

/** The longest system prompt that a vendor adds where tools are offered (Claude API docs, Tool use, Pricing: 804). */
export const TOKENS_FOR_TOOLS = 804;

/**
 * The definition that a provider writes of a tool that it has defined (Claude API docs: 1,201 for computer use with its
 * system prompt, 700 for the text editor, 245 for bash).
 */
export const TOKENS_FOR_DEFINED_TOOL = 1_500;

/** The declaration of a function that stands for a custom tool on a route of another protocol, but for its own texts. */
export const TOKENS_FOR_CUSTOM_TOOL = 64;

/** The letters that a name may get on a route of another protocol. */
export const TOKENS_FOR_NAME = 16;

/** The text by which a route of another protocol is asked for JSON. */
export const TOKENS_FOR_JSON = 64;
