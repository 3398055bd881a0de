/** Settles a transcription by its workflow, and responds once it is settled. */
import type { Call } from '../../../../ledger/core/call.ts';
import type { Log } from '../../../../platform/core/ports.ts';
import type { Deliver, UnsettledCall } from '../../call.ts';
import { billBasis, priceMeasured } from '../../metering/priced-usage.ts';
import type { Receipt } from '../../paid-endpoint.ts';
import { type KindCall, prepareJson } from '../call-kind.ts';
import { billedSeconds, type Recording } from './duration.ts';
import type { SettlementOrder } from './order.ts';
import type { Settlements } from './ports.ts';
import type { TranscriptionFields } from './schema.ts';
import { outcomeOf } from './settle.ts';
import { type Transcript, transcriptBody } from './transcript.ts';

export interface DeliveryDependencies {
  readonly settlements: Settlements;
  readonly log: Log;
}

/** A call with its response, and the requested options. */
export interface TranscribedCall
  extends UnsettledCall,
    Pick<Call, 'requestId' | 'key'>,
    Pick<KindCall<unknown, unknown>, 'headers'> {
  readonly transcript: Transcript;
  readonly recording: Recording;
  readonly fields: TranscriptionFields;
  /** The version of the catalog that has the prices. */
  readonly catalog: string;
}

/**
 * Stores the response. Returns the function that settles the call and responds. That function throws if neither the
 * workflow nor this process could settle.
 */
export async function prepareTranscript(
  dependencies: DeliveryDependencies,
  call: TranscribedCall,
): Promise<Deliver> {
  const order = orderOf(call);
  const text = transcriptBody(call.transcript, call.fields, order.seconds);
  return prepareJson(call, text, () => settle(dependencies, call, order));
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
  const { providerCost } = billBasis(priced, { catalog, route });
  if (admission.held === undefined) throw new Error('a transcription needs a hold of its own');
  const { id: _id, amount, ...hold } = admission.held.hold;
  return {
    requestId,
    accountId: key.accountId,
    hold: { ...hold, amount: String(amount) },
    charge: admission.held.charge,
    model: model.id,
    route: route.id,
    lines: priced.lines.map((line) => ({ ...line, price: String(line.price) })),
    catalog,
    ...(providerCost === undefined ? {} : { providerCost: String(providerCost) }),
    ...billed,
  };
}

/**
 * Settles by the workflow, or directly if the workflow fails. An execution whose result was lost may settle as well.
 * The first to write the usage record has settled the call.
 */
async function settle(
  { settlements, log }: DeliveryDependencies,
  { requestId, admission }: TranscribedCall,
  order: SettlementOrder,
): Promise<Receipt> {
  try {
    return await settlements.settle(order);
  } catch (failure) {
    log.error('not settled by the workflow', { requestId, failure: String(failure) });
    return admission.settle(outcomeOf(order));
  }
}
