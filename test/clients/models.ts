/** One model for each protocol of a route: every client runs on all of them. */
export const MODELS = {
  openai: 'sim/chat',
  'openai-responses': 'sim/responses',
  anthropic: 'sim/chat-anthropic',
  bedrock: 'sim/chat-bedrock',
} as const;

export type Protocol = keyof typeof MODELS;

/** The same of models that reason. */
export const REASONERS: Readonly<Record<Protocol, string>> = {
  openai: 'sim/reasoner-openai',
  anthropic: 'sim/reasoner-anthropic',
  bedrock: 'sim/reasoner-bedrock',
  'openai-responses': 'sim/reasoner-responses',
};

/** The name of a route's protocol, and its model. */
export const PROTOCOLS = Object.entries(MODELS) as readonly (readonly [Protocol, string])[];
