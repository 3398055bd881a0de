/** `smoke key`: gives the scheduled smoke test an account and a key that can spend so much a day and no more. */
import {
  formatUsd,
  NANO_PER_CENT,
  type NanoUsd,
  parseUsd,
  usdJson,
} from '../../lambdas/platform/core/money.ts';
import { askedAddresses } from '../addresses.ts';
import { type Command, ok, options } from '../arguments.ts';
import type { Operator } from '../operator.ts';

/** Ten times what the cheapest models cost at a run every five minutes. */
const USUAL_DAILY: NanoUsd = 5n * NANO_PER_CENT;

/** More is a mistake: what the key spends is what providers charge. */
const MOST_DAILY: NanoUsd = 100n * NANO_PER_CENT;

const DAYS_OF_CREDIT = 366n;
const DAYS_OF_MONTH = 31n;

function dailyOf(value: string | undefined): NanoUsd {
  if (value === undefined) return USUAL_DAILY;
  const amount = parseUsd(value);
  if (amount === undefined || amount <= 0n || amount > MOST_DAILY)
    throw new Error(`--daily-usd must be an amount of USD above 0, at most ${formatUsd(MOST_DAILY)}`);
  return amount;
}

/** Has the account own so much. */
async function setCredit(operator: Operator, accountId: string, credit: NanoUsd): Promise<void> {
  const { balance } = await operator.wallet(accountId);
  if (balance < credit) await operator.grant(accountId, credit - balance);
  if (balance > credit) await operator.takeBack(accountId, balance - credit);
}

export const SMOKE_KEY_COMMAND: Command = {
  usage: '[--daily-usd D] [--url URL [--platform URL]]',
  async run(operator, args) {
    const { url, platform, 'daily-usd': dailyUsd } = options(args, [], ['url', 'platform', 'daily-usd']);
    const daily = dailyOf(dailyUsd);
    const secret = operator.smokeAccess.name();
    const addresses = await askedAddresses(operator, url, platform);
    const before = await operator.smokeAccess.read();
    const accountId = before?.account_id ?? (await operator.openAccount());
    await setCredit(operator, accountId, daily * DAYS_OF_CREDIT);
    const { keyId, key } = await operator.createKey(accountId, 'smoke', {
      daily_usd: daily,
      monthly_usd: daily * DAYS_OF_MONTH,
    });
    await operator.smokeAccess.store({ key, key_id: keyId, account_id: accountId, ...addresses });
    // The last run with the key of before may have begun: it fails at most once.
    if (before !== undefined) await operator.revoke(before.key_id);
    return ok({ account_id: accountId, key_id: keyId, daily_usd: usdJson(daily), secret });
  },
};
