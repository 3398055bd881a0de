/** What Converse can say beside a conversation (Amazon Bedrock API reference, Converse). */
import type { Feature } from '../../core/inference/upstream/provider.ts';

export const features: ReadonlySet<Feature> = new Set<Feature>();
