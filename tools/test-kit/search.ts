/** Tests that draw, with fast-check or by themselves: each says in its failure how to repeat what it drew. */
import { it as plain } from '@jest/globals';
import { SEED } from './seed.ts';

const { THOROUGH } = process.env;

/** `THOROUGH` belongs to it, because a longer search draws more. */
const AGAIN = THOROUGH === undefined ? `SEED=${SEED}` : `SEED=${SEED} THOROUGH=${THOROUGH}`;

type Body = (...args: readonly unknown[]) => unknown;
type Add = (title: string, body: Body, timeoutMs?: number) => void;

/** The body of a test, whose failure says how to repeat it. */
export const repeatable =
  (body: Body): Body =>
  async (...args) => {
    try {
      await body(...args);
    } catch (failure) {
      throw new Error(`${AGAIN} repeats this: ${String(failure)}`, { cause: failure });
    }
  };

const naming =
  (add: Add): Add =>
  (title, body, timeoutMs) =>
    add(title, repeatable(body), timeoutMs);

const each = (...table: readonly unknown[]): Add =>
  naming((plain.each as (...table: readonly unknown[]) => Add)(...table));

type SearchTest = Pick<typeof plain, 'each'> &
  ((title: string, body: () => void | Promise<void>, timeoutMs?: number) => void);

/** Jest's `it`, for a test that draws. */
export const it = Object.assign(naming(plain as Add), { each }) as unknown as SearchTest;
