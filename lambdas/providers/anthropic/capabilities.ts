/** What the Messages protocol can say beside a conversation (Claude API reference, Create a Message). */
import type { Feature } from '../../core/inference/upstream/provider.ts';

export const features: ReadonlySet<Feature> = new Set<Feature>(['image-urls', 'messages-blocks']);
