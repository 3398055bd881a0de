/**
 * A history of the market over the real stores, and the real clients of the payment provider and of S3: a seed draws
 * requests, events, runs of the schedule, faults, and the order of all calls. The laws are verified after each step.
 */
import type { Payout } from '../../lambdas/marketplace/core/payouts/payout.ts';
import { BuildSteps } from './build-steps.ts';
import { type HistoryOptions, HistoryWorld } from './history-world.ts';
import { CALL_FAULTS } from './interleaving.ts';
import { MoneySteps, type WeightedStep } from './money-steps.ts';

const STEPS = 400;
/** The number of workers that run at once. */
const WORKERS = 4;
const FAULT_SHARE = 0.06;

export interface HistoryResult {
  /** The first law that does not hold, and when. */
  readonly broken: string | undefined;
  readonly counts: Readonly<Record<string, number>>;
}

export async function playHistory(options: HistoryOptions): Promise<HistoryResult> {
  const history = await HistoryWorld.open(options);
  const [money, builds] = [new MoneySteps(history), new BuildSteps(history)];
  const steps = { money, builds };
  try {
    const broken = (await playSteps(history, steps)) ?? (await rest(history, steps));
    return { broken, counts: history.counts };
  } finally {
    await history.close();
  }
}

interface HistorySteps {
  readonly money: MoneySteps;
  readonly builds: BuildSteps;
}

async function playSteps(
  history: HistoryWorld,
  { money, builds }: HistorySteps,
): Promise<string | undefined> {
  const { draw } = history.options;
  const steps: readonly WeightedStep[] = [
    ...money.steps,
    ...builds.steps,
    [6, () => processDue(history, builds)],
    [10, () => passTime(history)],
  ];
  for (let step = 0; step < STEPS; step += 1) {
    const { waiting, workers } = history.interleaving;
    if (waiting > 0 && (workers >= WORKERS || draw() < 0.75)) {
      const fault = draw() < FAULT_SHARE ? history.pick(CALL_FAULTS) : undefined;
      history.count(fault ?? 'call');
      await history.interleaving.proceed(Math.floor(draw() * waiting), fault);
    } else await stepOf(steps, draw)();
    const broken = (await history.verify()) ?? builds.broken(await history.state());
    if (broken !== undefined) return `step ${step}: ${broken}`;
  }
  return undefined;
}

function stepOf(steps: readonly WeightedStep[], draw: () => number): () => Promise<void> {
  let chance = draw() * steps.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, take] of steps) {
    chance -= weight;
    if (chance < 0) return take;
  }
  throw new Error('no step was drawn');
}

async function processDue(history: HistoryWorld, builds: BuildSteps): Promise<void> {
  const { world, mutation, log } = history;
  await history.start('schedule', async (worker) => {
    const clients = mutation.due?.(worker.clients) ?? worker.clients;
    const result = await world.processDue(clients, { log, build: builds.processor(worker) });
    for (const kind of ['matured', 'held', 'returned', 'renewed', 'unpaid', 'ended'] as const)
      history.count(kind, result[kind]);
  });
}

/** Seconds, hours or days pass. */
async function passTime(history: HistoryWorld): Promise<void> {
  const { draw } = history.options;
  const pick = draw();
  const seconds = pick < 0.6 ? 200 : pick < 0.78 ? 8_000 : pick < 0.9 ? 1_000_000 : 8_000_000;
  await history.pass(draw() * seconds);
}

/** A step of a payout waits for an hour at most, and a sale for the next check. */
const RESTS = 14;

/** Ends all faults, and lets everything come to its end. */
async function rest(history: HistoryWorld, { money, builds }: HistorySteps): Promise<string | undefined> {
  for (let round = 0; round < RESTS; round += 1) {
    await history.pass(round % 2 === 0 ? 4_000 : 9 * 86_400);
    await money.heal();
    for (const take of [() => processDue(history, builds), () => money.processPayouts()]) {
      await take();
      while (history.interleaving.waiting > 0) await history.interleaving.proceed(0, undefined);
    }
    const broken = (await history.verify()) ?? builds.broken(await history.state());
    if (broken !== undefined) return `at rest: ${broken}`;
    if (round >= 4 && !(await history.state()).payouts.some(isUnsettled)) break;
  }
  return (await unsettled(history)) ?? builds.brokenFile(await history.state());
}

const isUnsettled = ({ returned, paidAt, end }: Payout): boolean =>
  !returned && (paidAt === undefined || end !== undefined);

/** Returns what is not at its end, and whether the audit finds a difference. */
async function unsettled(history: HistoryWorld): Promise<string | undefined> {
  const { payouts, balances, wallets } = await history.reread();
  const open = payouts.find(isUnsettled);
  if (open !== undefined)
    return `a payout has no end: ${JSON.stringify({ ...open, amount: String(open.amount) })}`;
  const paid = history.provider.sandbox.accounts.payouts
    .filter(({ status }) => status === 'paid')
    .reduce((sum, { amount }) => sum + BigInt(amount) * 10_000_000n, 0n);
  if (paid !== balances.reduce((sum, { paidOut }) => sum + paidOut, 0n))
    return 'paid out is not what the provider has paid';
  const [difference] = await history.world.audit(...wallets.map(({ walletId }) => walletId));
  return difference === undefined ? undefined : `the audit: ${difference}`;
}
