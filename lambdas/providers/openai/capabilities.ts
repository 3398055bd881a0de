/** What the OpenAI protocol can say beside a conversation (OpenAI API reference, Create chat completion). */
import type { Feature } from '../../core/inference/upstream/provider.ts';

export const features: ReadonlySet<Feature> = new Set<Feature>(['choices', 'image-urls']);
