/** What Converse can say beside a conversation, and which schemas its structured outputs can hold. */
import type { Feature } from '../../core/inference/provider.ts';

export const features: ReadonlySet<Feature> = new Set<Feature>();

/** Bedrock takes the schemas that Claude takes (Amazon Bedrock user guide, Structured outputs, JSON Schema support). */
export { takesSchema } from '../anthropic/capabilities.ts';
