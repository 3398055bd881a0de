/** Hands the settlement of a transcription to its workflow, waits a little for it, and answers. */
import type { Admission } from '../../../ledger/admission.ts';
import type { UsageStore, WalletStore } from '../../../ledger/ports.ts';
import type { Settlement } from '../../../ledger/settlement.ts';
import type { After, Clock, Log } from '../../../ports.ts';
import { billBasis, priceMeasured } from '../../metering/priced-usage.ts';
import { receiptHeaders } from '../../metering/receipt.ts';
import type { AnsweredCall, Deliver } from '../../paid-endpoint.ts';
import { billedSeconds, type Recording } from './duration.ts';
import type { SettlementOrder } from './order.ts';
import type { Settlements } from './ports.ts';
import type { TranscriptionFields } from './schema.ts';
import { outcomeOf } from './settle.ts';
import { type Transcript, transcriptBody } from './transcript.ts';

/**
 * How long an answer waits for its settlement, so that a caller who has its transcript reads its final balance; a
 * workflow with a warm function takes some 300 ms.
 */
const SETTLED_WITHIN_MS = 3_000;

/** Each look costs one read. */
const POLL_MS = 50;

const JSON_TYPE = { 'content-type': 'application/json' };

export interface DeliveryDependencies {
  readonly settlements: Settlements;
  readonly wallets: Pick<WalletStore, 'findHold' | 'balance'>;
  readonly usage: Pick<UsageStore, 'get'>;
  readonly clock: Clock;
  readonly after: After;
  readonly log: Log;
}

/** An answered call, with what was asked of it. */
export interface TranscribedCall extends AnsweredCall {
  readonly transcript: Transcript;
  readonly recording: Recording;
  readonly fields: TranscriptionFields;
  /** The version of the catalog that has the prices. */
  readonly catalog: string;
}

/** Keeps the answer; what it returns settles and answers, and does not throw. */
export async function prepareTranscript(
  dependencies: DeliveryDependencies,
  call: TranscribedCall,
): Promise<Deliver> {
  const { transcript, candidate, admission, fields, keep, flush } = call;
  const { route } = candidate;
  const order = orderOf(call);
  const text = transcriptBody(transcript, fields, order.seconds);
  await keep?.({ body: text, headers: { ...JSON_TYPE, 'x-route': route.id } });
  return async () => {
    const [settlement] = await Promise.all([settle(dependencies, order, admission), flush()]);
    const headers =
      settlement === undefined
        ? { ...admission.headers, 'x-route': route.id }
        : receiptHeaders(admission, route, settlement);
    return new Response(text, { headers: { ...JSON_TYPE, ...headers } });
  };
}

function orderOf({
  requestId,
  key,
  admission,
  candidate: { model, route },
  recording,
  transcript,
  catalog,
}: TranscribedCall): SettlementOrder {
  // Whether speech was recognised or not: routes bill the time that they listened.
  const billed = billedSeconds(recording, transcript.duration);
  const priced = priceMeasured(model, { seconds: billed.seconds });
  const { providerCost } = billBasis(priced, { cost: priced.amount, catalog, route });
  const { id: _id, amount, ...hold } = admission.hold;
  return {
    requestId,
    accountId: key.accountId,
    ...(admission.repaired === undefined ? {} : { repaired: admission.repaired }),
    hold: { ...hold, amount: String(amount) },
    windows: admission.windows,
    model: model.id,
    route: route.id,
    lines: priced.lines.map((line) => ({ ...line, price: String(line.price) })),
    catalog,
    ...(providerCost === undefined ? {} : { providerCost: String(providerCost) }),
    ...billed,
  };
}

/** The settlement, or undefined when it takes longer than the caller should wait. */
async function settle(
  dependencies: DeliveryDependencies,
  order: SettlementOrder,
  admission: Admission,
): Promise<Settlement | undefined> {
  const { settlements, log } = dependencies;
  const { requestId } = order;
  try {
    await settlements.start(order);
  } catch (failure) {
    // Started or not, this comes to the same: whoever writes the record first has settled the call.
    log.error('settlement not handed over', { requestId, failure: String(failure) });
    return admission.settle(outcomeOf(order)).catch((cause: unknown) => {
      log.error('settlement left to recovery', { requestId, failure: String(cause) });
      return undefined;
    });
  }
  return settled(dependencies, order).catch((failure: unknown) => {
    log.warn('settlement not seen', { requestId, failure: String(failure) });
    return undefined;
  });
}

/** Waits until the hold has ended, which is the last step of a settlement. */
async function settled(
  { wallets, usage, clock, after }: DeliveryDependencies,
  { requestId, accountId, hold }: SettlementOrder,
): Promise<Settlement | undefined> {
  const untilMs = clock() + SETTLED_WITHIN_MS;
  while (clock() < untilMs) {
    if ((await wallets.findHold(accountId, { ...hold, id: requestId })) === undefined) {
      const [record, balance] = await Promise.all([
        usage.get(hold.keyId, requestId),
        wallets.balance(accountId),
      ]);
      return record === undefined ? undefined : { record, balance };
    }
    await new Promise<void>((resolve) => {
      after(POLL_MS, resolve);
    });
  }
  return undefined;
}
