/**
 * `POST /v1/audio/transcriptions`: a form with a file instead of a JSON body. Key, limits and credit are looked at before
 * the upload is read; it is read to its end and checked before anything is held; what the call costs is settled by a
 * workflow on the duration that the route returns.
 */
import { authenticate, type VerifiedKey } from '../../../access/api-key.ts';
import type { Keep } from '../../../idempotency/idempotency.ts';
import type { Precheck } from '../../../ledger/precheck.ts';
import type { CallContext, Endpoint } from '../../../ports.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { durationCost, minutePrice } from '../../catalog/price.ts';
import { runPaidCall } from '../../paid-call.ts';
import { type Candidate, chooseRoutes } from '../../routing/route-choice.ts';
import { NO_CONTROLS } from '../../routing/route-controls.ts';
import type { Servers } from '../call-kind.ts';
import { attemptModality } from '../kind-attempt.ts';
import { type ModalityEndpointDependencies, modelOf, watchOf } from '../kind-endpoint.ts';
import { type AudioType, requireAudio } from './audio-type.ts';
import { type DeliveryDependencies, prepareTranscript } from './delivery.ts';
import { estimatedSeconds, mostSeconds, type Recording } from './duration.ts';
import { measureAudio } from './lengths/measure.ts';
import type { ReceiveUpload, Upload, UploadedFile } from './ports.ts';
import { readForm, type TranscriptionForm } from './schema.ts';
import type { Transcript } from './transcript.ts';

/** A transcription call, ready for any route. */
export interface TranscriptionPayload {
  readonly content: Blob;
  readonly type: AudioType;
  /** The caller's further fields, in their order. */
  readonly fields: Upload['fields'];
}

export interface TranscriptionDependencies extends ModalityEndpointDependencies, DeliveryDependencies {
  readonly receive: ReceiveUpload;
  readonly precheck: Precheck;
}

/** Everything that a call needs and that can be wrong before it is paid for. */
interface Checked {
  readonly form: TranscriptionForm;
  readonly payload: TranscriptionPayload;
  readonly recording: Recording;
  readonly candidates: readonly Candidate[];
  /** Tells this request from any other, whatever boundary it was sent with. */
  readonly identity: string;
}

/** Throws `ServiceError` for everything that is wrong before there is a transcript. */
export function createTranscriptionEndpoint(
  servers: Servers<TranscriptionPayload, Transcript>,
  dependencies: TranscriptionDependencies,
): Endpoint {
  const { peppers, gate, idempotency, receive, catalog, precheck } = dependencies;
  return async (request, context) => {
    const key = authenticate(request.headers, await peppers());
    await precheck.check(key, 'audio', {
      paid: isPaid(await catalog()),
      // A call that has been paid for may be replayed with nothing left.
      isReplay: () => idempotency.isClaimed(request, key),
    });
    const upload = await gate.checked(key, () => receive(request));
    try {
      const checked = await gate.checked(key, () => check(upload, dependencies));
      const guarded = {
        request,
        key,
        body: checked.identity,
        stream: false,
        context,
      };
      return await idempotency.guard(guarded, (keep) =>
        transcribe({ servers, dependencies, checked, key, keep, context }),
      );
    } finally {
      await upload.dispose();
    }
  };
}

/** Whether every model for audio has a price: then no call is for nothing. */
const isPaid = ({ models }: Catalog): boolean =>
  models.filter(({ type }) => type === 'audio').every((model) => minutePrice(model) > 0n);

async function check(
  upload: Upload,
  { catalog, random, after }: TranscriptionDependencies,
): Promise<Checked> {
  const form = readForm(upload);
  // `readForm` throws when there is none.
  const file = upload.file as UploadedFile;
  const type = await requireAudio(file);
  const model = modelOf(await catalog(), 'audio', form.fields.model);
  const candidates = chooseRoutes({
    models: [model],
    demands: { needs: [], features: [] },
    controls: NO_CONTROLS,
    random,
  });
  const { content, sha256 } = file;
  return {
    form,
    payload: { content, type, fields: form.forwarded },
    recording: { bytes: content.size, length: await measureAudio(content, type.extension, after) },
    candidates,
    identity: JSON.stringify([upload.fields, type.extension, sha256]),
  };
}

interface Transcription {
  readonly servers: Servers<TranscriptionPayload, Transcript>;
  readonly dependencies: TranscriptionDependencies;
  readonly checked: Checked;
  readonly key: VerifiedKey;
  readonly keep: Keep | undefined;
  readonly context: CallContext;
}

async function transcribe(call: Transcription): Promise<Response> {
  const { servers, dependencies, checked, key, keep, context } = call;
  const { payload, recording, candidates, form } = checked;
  const { after, breaker } = dependencies;
  const { prepared: send, ...paid } = await runPaidCall(dependencies, {
    requestId: context.requestId,
    key,
    kind: 'audio',
    candidates,
    tokens: 0,
    costBound: (model) => ({
      amount: durationCost(minutePrice(model), estimatedSeconds(recording)),
      ceiling: durationCost(minutePrice(model), mostSeconds(recording)),
    }),
    attempt: ({ route }, remainingTimeMs) =>
      attemptModality(servers, payload, { after, route, remainingTimeMs, stream: false }),
    prepare: ({ answer: transcript }, { candidate, admission }) => {
      const answered = { requestId: context.requestId, key, transcript, candidate, admission };
      return prepareTranscript(dependencies, { ...answered, recording, fields: form.fields, keep });
    },
    remainingTimeMs: () => context.remainingTimeMs(),
  });
  return send(watchOf(breaker, paid));
}
