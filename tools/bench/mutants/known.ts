/**
 * Mutants that have been judged. Those that no caller can notice are left out of every sample; those that change what
 * nothing promises are drawn like any other, and have their reason beside them in the results.
 */
import type { Mutant } from './operators.ts';

interface KnownMutant {
  readonly path: string;
  /** The line that it is in, without the blanks around it: an entry is void once the line has changed. */
  readonly line: string;
  /** `operator: original -> replacement`, with one blank for any number of them. */
  readonly mistake: string;
  readonly reason: string;
}

const EQUIVALENT: readonly KnownMutant[] = [
  {
    path: 'lambdas/inference/core/metering/token-bound.ts',
    line: 'const previous = start > 0 ? text.charCodeAt(start - 1) : 0;',
    mistake: 'constant: 0 -> 1',
    reason: 'it stands for no character: neither code point is a blank or an apostrophe',
  },
  {
    path: 'lambdas/ledger/store/wallet/posting.ts',
    line: 'const income = change > 0n ? change : 0n;',
    mistake: 'comparison: > -> >=',
    reason: 'a change of nothing is an income of nothing either way',
  },
  {
    path: 'lambdas/ledger/store/wallet/posting.ts',
    line: 'let due = (first.debt ?? 0n) + (change < 0n ? -change : 0n);',
    mistake: 'comparison: < -> <=',
    reason: 'the opposite of a change of nothing is nothing',
  },
  {
    path: 'lambdas/webhooks/store/webhook-sender.ts',
    line: 'const status = response.statusCode ?? 0;',
    mistake: 'constant: 0 -> 1',
    reason: 'the answer to a request of a client has a status',
  },
  {
    path: 'lambdas/access/store/sessions/session-tokens.ts',
    line: 'audience: Object.values(AUDIENCES),',
    mistake: 'property: audience: Object.values(AUDIENCES), -> ',
    reason: 'the audience is compared with the one of the role right after it',
  },
  {
    path: 'lambdas/access/store/identity/oidc-identity.ts',
    line: 'algorithms: ALGORITHMS,',
    mistake: 'property: algorithms: ALGORITHMS, -> ',
    reason: 'a token of another algorithm has been refused before the provider is asked for its keys',
  },
  {
    path: 'lambdas/webhooks/core/backoff.ts',
    line: 'const requested = Math.max(jittered, retryAfterMs ?? 0);',
    mistake: 'constant: 0 -> 1',
    reason: 'every wait is longer than a millisecond, so the greater of the two is the same',
  },
];

const ACCEPTED: readonly KnownMutant[] = [
  {
    path: 'lambdas/access/store/identity/oidc-identity.ts',
    line: 'const KEYS_MAX_AGE_MS = 10 * 60_000;',
    mistake: 'constant: 10 -> 11',
    reason: 'how long keys are kept: nothing promises the number',
  },
  {
    path: 'lambdas/ledger/core/usage/account-rollups.ts',
    line: 'const unread = states.filter(({ from }) => from < last);',
    mistake: 'comparison: < -> <=',
    reason: 'a query more, which finds nothing',
  },
  {
    path: 'lambdas/platform/core/ports.ts',
    line: 'export const SKEW_SECONDS = 60;',
    mistake: 'constant: 60 -> 61',
    reason: 'an allowance for clocks, rounded: a second more reads a second more',
  },
  {
    path: 'lambdas/webhooks/core/fan-out.ts',
    line: '...(manual ? { manual } : {}),',
    mistake: 'condition: manual -> true',
    reason: 'the trigger says that it is not manual instead of saying nothing, which is read as the same',
  },
  {
    path: 'lambdas/inference/providers/kinds/form-body.ts',
    line: 'const SLICE_BYTES = 256 * 1024;',
    mistake: 'constant: 256 -> 512',
    reason: 'how much of a file is read at once: nothing promises the number',
  },
  {
    path: 'lambdas/access/core/keys/api-keys.ts',
    line: 'const MAX_CHANGE_ATTEMPTS = 5;',
    mistake: 'constant: 5 -> 6',
    reason: 'one try more before a change gives up: nothing promises the number',
  },
];

const reasonIn =
  (knownMutants: readonly KnownMutant[]) =>
  (path: string, text: string, mutant: Mutant): string | undefined => {
    const pathEntries = knownMutants.filter((entry) => entry.path === path);
    if (pathEntries.length === 0) return undefined;
    const line = text.split('\n')[mutant.line - 1]?.trim();
    const mistake = `${mutant.operator}: ${mutant.original} -> ${mutant.replacement}`.replace(/\s+/g, ' ');
    return pathEntries.find((entry) => entry.line === line && entry.mistake === mistake)?.reason;
  };

/** Returns the reason for which a mutant of a module changes nothing, if it is known to change nothing. */
export const equivalenceOf = reasonIn(EQUIVALENT);

/** Returns the reason for which a mutant that no test detects is accepted, if it has been judged. */
export const acceptanceOf = reasonIn(ACCEPTED);
