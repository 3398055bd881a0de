/** The kinds of paid calls, which the policy of a key may allow one by one. */
export const KINDS = ['chat', 'embeddings', 'image', 'tts', 'audio'] as const;
export type Kind = (typeof KINDS)[number];
