/** The rules of thinking (Claude docs, guide "Extended thinking"): its blocks return as they were given, and by the same model. */
import { isSignatureOf, opened, type SignatureScope } from '../exchange/proof.ts';
import { requireThat } from '../exchange/request-error.ts';
import { type AnyRequest, type ContentBlock, contentBlocksOf } from './request.ts';

/** Returns the scope of the thoughts that a model can verify. */
export const scopeOf = (model: string): SignatureScope => ['anthropic', model];

/** Every thought in the conversation is one that this model had. Throws `RequestError`. */
export function checkThoughts({ model, messages }: AnyRequest): void {
  const scope = scopeOf(model);
  for (const [turn, { content }] of messages.entries())
    for (const [index, block] of contentBlocksOf<ContentBlock>(content).entries()) {
      const path = ['messages', turn, 'content', index];
      if (block.type === 'thinking') {
        const isOwn = isSignatureOf(scope, block.thinking, block.signature);
        requireThat(isOwn, 'Invalid `signature` in `thinking` block', path);
      } else if (block.type === 'redacted_thinking') {
        const isOwn = opened(scope, block.data) !== undefined;
        requireThat(isOwn, 'Invalid `data` in `redacted_thinking` block', path);
      }
    }
}
