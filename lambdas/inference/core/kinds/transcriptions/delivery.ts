/** Settles a transcription by its workflow, and responds once it is settled. */
import type { VerifiedKey } from '../../../../access/core/keys/api-key.ts';
import type { Log } from '../../../../platform/core/ports.ts';
import type { Deliver } from '../../call.ts';
import { prepareJson } from '../../paid-endpoint.ts';
import { type KindResponse, measuredOutcome } from '../call-kind.ts';
import { billedSeconds, type Recording } from './duration.ts';
import type { SettlementOrder, Settlements } from './order.ts';
import type { TranscriptionFields } from './schema.ts';
import { type Transcript, transcriptBody } from './transcript.ts';

export interface DeliveryDependencies {
  readonly settlements: Settlements;
  readonly log: Log;
}

/** The upload of a caller. */
interface TranscriptionRequest {
  readonly key: VerifiedKey;
  readonly recording: Recording;
  readonly fields: TranscriptionFields;
}

/**
 * Stores the response. Returns the function that settles the call and responds. It settles by the workflow, or directly
 * if the workflow fails. An execution whose result was lost may settle as well: the first to write the usage record has
 * settled the call. Throws if neither could settle.
 */
export async function prepareTranscript(
  { settlements, log }: DeliveryDependencies,
  response: KindResponse<unknown, Transcript>,
  { key: { accountId }, recording, fields }: TranscriptionRequest,
): Promise<Deliver> {
  const { admission, output: transcript, headers } = response;
  // Whether speech was recognised or not: routes bill the time that they listened.
  const { seconds, estimated } = billedSeconds(recording, transcript.duration);
  const isEstimated = estimated || transcript.isEstimated === true;
  const counted = { inputUnits: seconds, unit: 'second', estimated: isEstimated } as const;
  const outcome = measuredOutcome(response, { seconds }, counted);
  if (admission.held === undefined) throw new Error('a transcription needs a hold of its own');
  const { hold, charge } = admission.held;
  const order: SettlementOrder = {
    accountId,
    hold,
    charge,
    outcome: { ...outcome, ...admission.observed?.() },
  };
  return prepareJson(response, { text: transcriptBody(transcript, fields, seconds), headers }, () =>
    settlements.settle(order).catch((failure: unknown) => {
      log.error('not settled by the workflow', { requestId: hold.id, failure: String(failure) });
      return admission.settle(outcome);
    }),
  );
}
