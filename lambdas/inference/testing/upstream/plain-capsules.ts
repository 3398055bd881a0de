/** Capsules that hide nothing and are the same for the same text, for tests of what is put into them. */
import type { CapsuleContent, Capsules } from '../../core/upstream/capsules.ts';

const opening = (content: CapsuleContent) => `plain_${content}_`;

export const PLAIN_CAPSULES: Capsules = {
  seal: (content, text) => `${opening(content)}${Buffer.from(text).toString('base64url')}`,
  open(content, capsule) {
    if (!capsule.startsWith(opening(content))) return undefined;
    return Buffer.from(capsule.slice(opening(content).length), 'base64url').toString();
  },
};
