/** One model for each protocol of a route: every client runs on all of them. */
export const MODELS = {
  openai: 'sim/chat',
  'openai-responses': 'sim/responses',
  anthropic: 'sim/chat-anthropic',
  bedrock: 'sim/chat-bedrock',
} as const;

/** The name of a route's protocol, and its model. */
export const PROTOCOLS: readonly (readonly [string, string])[] = Object.entries(MODELS);
