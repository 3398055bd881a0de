/** `smoke key`: gives the scheduled smoke test an account and a key that can spend so much a day and no more. */
import {
  formatUsd,
  NANO_PER_CENT,
  type NanoUsd,
  parseUsd,
  usdJson,
} from '../../lambdas/platform/core/money.ts';
import { resolveAddresses } from '../addresses.ts';
import type { Operator } from '../operator.ts';
import { smokeNote } from '../smoke/ledger.ts';
import { type Command, ok, options } from './arguments.ts';

/** Ten times the cost of a run every five minutes with the lowest-priced models. */
const USUAL_DAILY: NanoUsd = 5n * NANO_PER_CENT;

/** More is a mistake: what the key spends is what providers charge. */
const MAX_DAILY: NanoUsd = 100n * NANO_PER_CENT;

const DAYS_OF_CREDIT = 366n;
const DAYS_OF_MONTH = 31n;

function dailyOf(value: string | undefined): NanoUsd {
  if (value === undefined) return USUAL_DAILY;
  const amount = parseUsd(value);
  if (amount === undefined || amount <= 0n || amount > MAX_DAILY)
    throw new Error(`--daily-usd must be an amount of USD above 0, at most ${formatUsd(MAX_DAILY)}`);
  return amount;
}

/** Has the account own so much. */
async function setCredit(operator: Operator, accountId: string, credit: NanoUsd): Promise<void> {
  const { balance } = await operator.wallet(accountId);
  if (balance < credit) await operator.grant(accountId, credit - balance);
  if (balance > credit) await operator.takeFree(accountId, balance - credit, smokeNote());
}

export const SMOKE_KEY_COMMAND: Command = {
  usage: '[--daily-usd D] [--url URL [--platform URL]]',
  async run(operator, args) {
    const { url, platform, 'daily-usd': dailyUsd } = options(args, [], ['url', 'platform', 'daily-usd']);
    const daily = dailyOf(dailyUsd);
    const secret = operator.smokeAccess.name();
    const addresses = await resolveAddresses(operator, url, platform);
    const before = await operator.smokeAccess.read();
    const accountId = before?.account_id ?? (await operator.openAccount('scheduled-smoke-test'));
    await setCredit(operator, accountId, daily * DAYS_OF_CREDIT);
    const { keyId, key } = await operator.createKey(accountId, 'smoke', {
      daily_usd: daily,
      monthly_usd: daily * DAYS_OF_MONTH,
    });
    await operator.smokeAccess.store({ key, key_id: keyId, account_id: accountId, ...addresses });
    // The last run with the previous key may have started: it fails at most once.
    if (before !== undefined) await operator.revoke(before.key_id);
    return ok({ account_id: accountId, key_id: keyId, daily_usd: usdJson(daily), secret });
  },
};
