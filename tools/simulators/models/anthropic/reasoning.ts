/** The rules of thinking (Claude docs, guide "Extended thinking"): its blocks return as they were given, and by the same model. */
import { requireProof } from '../exchange/claude-rules.ts';
import { isSignatureOf, type SignatureScope } from '../exchange/proof.ts';
import { type ContentBlock, contentBlocksOf, type SimulatedMessagesRequest } from './request.ts';

export const scopeOf = (model: string): SignatureScope => ['anthropic', model];

/** Every thought in the conversation is one that this model had. Throws `RequestError`. */
export function checkThoughts({ model, messages }: SimulatedMessagesRequest): void {
  const scope = scopeOf(model);
  for (const [turn, { content }] of messages.entries())
    for (const [index, block] of contentBlocksOf<ContentBlock>(content).entries()) {
      const path = ['messages', turn, 'content', index];
      if (block.type === 'thinking')
        requireProof(isSignatureOf(scope, block.thinking, block.signature), 'signature', path);
      // No thought is redacted here, so that none of these blocks is genuine.
      else requireProof(block.type !== 'redacted_thinking', 'data', path);
    }
}
