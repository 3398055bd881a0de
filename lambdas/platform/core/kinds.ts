/** The kinds of paid calls, as policies, records and the catalog name them. */
export const KINDS = ['chat', 'embeddings', 'image', 'tts', 'audio'] as const;
export type Kind = (typeof KINDS)[number];
