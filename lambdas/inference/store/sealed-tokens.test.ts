import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { SealedTokenContent } from '../core/upstream/sealed-tokens.ts';
import { createSealedTokens } from './sealed-tokens.ts';

const PEPPERS = { current: 'pepper' };
const NOON_MS = Date.UTC(2026, 6, 15, 12);
const DAY_MS = 24 * 3_600_000;
const CONTENTS: readonly SealedTokenContent[] = ['signature', 'items'];

const at = (nowMs: number, peppers: Parameters<typeof createSealedTokens>[0] = PEPPERS) =>
  createSealedTokens(peppers, () => nowMs);
const sealedTokens = at(NOON_MS)('acc_1');

/** Returns the error of opening a sealed token; undefined if it opens, or if the text is not a token. */
function rejectionOf(open: () => unknown): ServiceError | undefined {
  try {
    open();
    return undefined;
  } catch (failure) {
    if (failure instanceof ServiceError) return failure;
    throw failure;
  }
}

const REJECTION = { status: 400, code: 'invalid_capsule', param: 'input[3]' };

/** The prose of the project itself: English, and each sentence once. */
const DECISIONS = new URL('../../../docs/decisions/', import.meta.url);
const PROSE = readdirSync(DECISIONS)
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(new URL(name, DECISIONS), 'utf8'))
  .join('\n');

describe('a sealed token', () => {
  it('opens to the text that was sealed, and is of letters, digits, - and _', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 500 }),
        fc.constantFrom(...CONTENTS),
        (text, content) => {
          const sealed = sealedTokens.seal(content, text);
          expect(sealed).toMatch(/^[A-Za-z0-9_-]+$/);
          expect(sealedTokens.open(content, sealed, 'input[3]')).toBe(text);
        },
      ),
    );
  });

  it('shows nothing of its text, and is another one each time', () => {
    const text = 'The canary sang. '.repeat(20);
    const [one, other] = [sealedTokens.seal('items', text), sealedTokens.seal('items', text)];
    expect(one).not.toBe(other);
    const bytes = Buffer.from(one.slice(6), 'base64url').toString('latin1');
    expect(bytes).not.toContain('canary');
  });

  it('causes an error that names the field if any bit was changed', () => {
    const sealed = sealedTokens.seal('items', 'What the model thought.');
    const bytes = Buffer.from(sealed.slice(6), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const text = `uis1i_${changed.toString('base64url')}`;
      expect(rejectionOf(() => sealedTokens.open('items', text, 'input[3]'))).toMatchObject(REJECTION);
    }
  });

  it('causes an error if any letter was changed, or if it was cut or lengthened', () => {
    // Texts of these lengths leave 0, 2 and 4 bits of the last letter unused.
    for (const text of ['', 'a', 'ab', 'abc']) {
      const sealed = sealedTokens.seal('items', text);
      const changed = Array.from({ length: sealed.length - 6 }, (_, at) => [
        sealed.slice(0, at + 7),
        ...['A', 'B', 'Q', '_'].map((letter) => `${sealed.slice(0, at + 6)}${letter}${sealed.slice(at + 7)}`),
      ]);
      for (const other of [...changed.flat(), `${sealed}A`, `${sealed}AAAA`].filter((one) => one !== sealed))
        expect(rejectionOf(() => sealedTokens.open('items', other, 'input[3]'))).toMatchObject(REJECTION);
    }
  });

  it('causes an error for another account, or under another pepper', () => {
    const sealed = sealedTokens.seal('signature', 'proof');
    const open = (by: ReturnType<typeof at>, account: string) => () =>
      by(account).open('signature', sealed, 'input[3]');
    expect(rejectionOf(open(at(NOON_MS), 'acc_2'))).toMatchObject(REJECTION);
    expect(rejectionOf(open(at(NOON_MS, { current: 'other' }), 'acc_1'))).toMatchObject(REJECTION);
    expect(rejectionOf(open(at(NOON_MS), 'acc_1'))).toBeUndefined();
  });

  it('opens for its own type of content only, and the letter of its type cannot be exchanged', () => {
    const sealed = sealedTokens.seal('signature', 'proof');
    expect(sealedTokens.open('items', sealed, 'input[3]')).toBeUndefined();
    const exchanged = sealed.replace('uis1s_', 'uis1i_');
    expect(rejectionOf(() => sealedTokens.open('items', exchanged, 'input[3]'))).toMatchObject(REJECTION);
  });

  it.each(['', 'proof', 'uis1', 'uis1i', 'uis2i_AAAA', 'msg_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'uis1i_not base64'])(
    'differs from a text that a vendor may have sent: %j',
    (text) => {
      expect(sealedTokens.open('items', text, 'input[3]')).toBeUndefined();
    },
  );

  it.each([
    ['for 30 days', 30 * DAY_MS, 1],
    ['where the clock is five minutes behind the one it was sealed by', -300_000, -1],
  ])('opens %s, and not a millisecond beyond', (_when, offsetMs, beyondMs) => {
    const sealed = sealedTokens.seal('items', 'text');
    const open = (nowMs: number) => () => at(nowMs)('acc_1').open('items', sealed, 'input[3]');
    expect(open(NOON_MS + offsetMs)()).toBe('text');
    expect(rejectionOf(open(NOON_MS + offsetMs + beyondMs))).toMatchObject(REJECTION);
  });

  it('outlives one rotation of the pepper, and not a second', () => {
    const sealed = sealedTokens.seal('items', 'text');
    const rotated = at(NOON_MS, { current: 'second', previous: 'pepper' })('acc_1');
    expect(rotated.open('items', sealed, 'input[3]')).toBe('text');
    const twice = at(NOON_MS, { current: 'third', previous: 'second' })('acc_1');
    expect(rejectionOf(() => twice.open('items', sealed, 'input[3]'))).toMatchObject(REJECTION);
    expect(twice.open('items', rotated.seal('items', 'text'), 'input[3]')).toBe('text');
  });

  it('causes an error if its content, alone or with earlier ones, exceeds the memory limit', () => {
    const mebibyte = 'a'.repeat(1_024 * 1_024);
    const large = sealedTokens.seal('items', mebibyte.repeat(33));
    expect(large.length).toBeLessThan(50_000);
    const one = at(NOON_MS)('acc_1');
    expect(rejectionOf(() => one.open('items', large, 'input[3]'))).toMatchObject(REJECTION);
    const small = sealedTokens.seal('items', mebibyte.repeat(8));
    for (let opened = 0; opened < 4; opened += 1) one.open('items', small, 'input[3]');
    expect(rejectionOf(() => one.open('items', small, 'input[3]'))).toMatchObject(REJECTION);
    // The next request has a bound of its own.
    expect(at(NOON_MS)('acc_1').open('items', small, 'input[3]')).toHaveLength(8 * mebibyte.length);
  });

  it('takes less space than its English text, from a kilobyte on', () => {
    const sizes = [1, 10, 100].map((kilobytes) => {
      const text = PROSE.slice(0, kilobytes * 1_000);
      return { text: text.length, capsule: sealedTokens.seal('items', text).length };
    });
    for (const { text, capsule } of sizes) expect(capsule).toBeLessThan(text);
  });
});
