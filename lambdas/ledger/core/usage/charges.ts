/** The charges of a statement: what the account has paid for listings, and what came back, one by one. */
import * as z from 'zod';
import { type Body, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { usdJson } from '../../../platform/core/money.ts';
import { changeOf, type LedgerEntry } from '../ledger-entry.ts';

/** Keeps a response within 6 MB, whatever an account has bought. */
export const MAX_CHARGES = 1_000;

export const chargesSchema = z.object({
  charges: z
    .array(
      z.object({
        id: z.string().describe('The charge; of a refund, the charge that it returns.'),
        type: z.enum(['purchase', 'subscription', 'refund']),
        listing_id: z.string().nullable(),
        amount: usd.describe('Below 0 for what was paid.'),
        created: seconds,
      }),
    )
    .describe(
      `Newest first, at most ${MAX_CHARGES}. All of them total \`purchases\` and \`purchase_refunds\`.`,
    ),
  charges_omitted: z.int().describe('Older charges of the span that are not listed.'),
});

/** An entry of the ledger with its time, in seconds since the epoch. */
export type DatedEntry = Pick<LedgerEntry, 'kind' | 'id' | 'amount' | 'source'> & {
  readonly created: number;
};

/** The id of a refund begins with its charge. */
const chargeOf = ({ kind, id }: DatedEntry): string =>
  kind === 'purchase_refund' ? id.slice(0, id.lastIndexOf('#')) : id;

/** Returns the charges and refunds in a span of seconds, `end` exclusive. Refunds may be of earlier charges. */
export function chargesBody(
  entries: readonly DatedEntry[],
  { start, end }: { readonly start: number; readonly end: number },
): Body<typeof chargesSchema> {
  const listings = new Map(
    entries.filter(({ kind }) => kind === 'purchase').map(({ id, source }) => [id, source]),
  );
  const charges = entries
    .filter(({ kind }) => kind === 'purchase' || kind === 'purchase_refund')
    .filter(({ created }) => created >= start && created < end)
    .toSorted((a, b) => b.created - a.created);
  return {
    charges: charges.slice(0, MAX_CHARGES).map((entry) => ({
      id: chargeOf(entry),
      type: typeOf(entry),
      listing_id: listings.get(chargeOf(entry)) ?? null,
      amount: usdJson(changeOf(entry)),
      created: entry.created,
    })),
    charges_omitted: Math.max(0, charges.length - MAX_CHARGES),
  };
}

function typeOf({ kind, id }: DatedEntry): 'purchase' | 'subscription' | 'refund' {
  if (kind === 'purchase_refund') return 'refund';
  return id.startsWith('sub_') ? 'subscription' : 'purchase';
}
