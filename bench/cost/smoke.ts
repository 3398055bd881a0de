/** What the scheduled smoke test adds to the bill of AWS, a month, when it calls one model of chat. */
import { costOf, type Line, type Measured, total } from './model.ts';
import { PRICES } from './prices.ts';

const MINUTES_A_MONTH = 30 * 24 * 60;

/** A call and a stream. */
const CALLS_A_RUN = 2;

/** Of each call: a cheap model that writes at most 64 tokens. */
const CALL = { seconds: 2, tokens: 64, memoryMb: 512, idempotent: 0 } as const;

/** Of the function that makes them: both calls, the catalog and the secret. */
const RUN = { seconds: 5, gb: 0.5 } as const;

/** Succeeded and failed: of all, and of each of the two calls. */
const METRICS = 6;

const SECRETS = 1;

export const runsOf = (everyMinutes: number): number => MINUTES_A_MONTH / everyMinutes;

/** Without what providers charge, and without its alarm, which the templates have. */
export function smokeCost(everyMinutes: number, measured: Measured): readonly Line[] {
  const runs = runsOf(everyMinutes);
  const calls = runs * CALLS_A_RUN;
  const gbSeconds = runs * RUN.seconds * RUN.gb;
  return [
    { service: 'Smoke test, calls', usd: total(costOf({ ...CALL, calls }, measured)), how: `${calls} calls` },
    {
      service: 'Smoke test, function',
      usd: gbSeconds * PRICES.lambdaGbSecond.usd + runs * PRICES.lambdaRequest.usd,
      how: `${runs} runs`,
    },
    {
      service: 'Smoke test, watched',
      usd: METRICS * PRICES.metricMonth.usd + SECRETS * PRICES.secretMonth.usd + runs * PRICES.secretRead.usd,
      how: `${METRICS} metrics and a secret, which is read in each run`,
    },
  ];
}
