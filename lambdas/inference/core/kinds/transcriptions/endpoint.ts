/**
 * `POST /v1/audio/transcriptions`: a form with a file instead of a JSON body. Key, limits and credit are checked before
 * the upload is read. The upload is read completely and checked before a hold is placed. A workflow settles the cost by
 * the duration that the route returns.
 */
import type { Call } from '../../../../ledger/core/call.ts';
import type { StreamingEndpoint } from '../../../../platform/core/ports.ts';
import type { ReceiveUpload, Upload } from '../../../../platform/core/upload.ts';
import type { PaidCall } from '../../call.ts';
import { measuredCost } from '../../metering/priced-usage.ts';
import { createPaidEndpoint } from '../../paid-endpoint.ts';
import { NO_CONTROLS } from '../../routing/route-controls.ts';
import { routeTimeOf, type TimeLeft } from '../../upstream/route-clock.ts';
import type { ProviderCalls } from '../call-kind.ts';
import { type KindEndpointDependencies, type KindResult, kindCall, modelOf } from '../kind-endpoint.ts';
import { type AudioType, requireAudio } from './audio-type.ts';
import { type DeliveryDependencies, prepareTranscript } from './delivery.ts';
import { maxSeconds } from './duration.ts';
import { measureAudio } from './lengths/measure.ts';
import type { Length } from './lengths/windows.ts';
import type { RecordedFile } from './recordings.ts';
import { withRoutesFor } from './route-limit.ts';
import { nameInForm, readForm, TRANSCRIPTION_FIELDS } from './schema.ts';
import type { Transcript } from './transcript.ts';

/** A transcription call, ready for any route. */
export interface TranscriptionPayload extends RecordedFile {
  readonly type: AudioType;
  /** The length by the file's own header; undefined if that does not state one. */
  readonly length: Length | undefined;
  /** The caller's further fields that the route gets, in their order. */
  readonly fields: Upload['fields'];
  /** Has the call wait for this work before it responds, also if its time is up. */
  untilEnded(work: Promise<unknown>): void;
}

export interface TranscriptionDependencies extends KindEndpointDependencies, DeliveryDependencies {
  readonly receive: ReceiveUpload;
}

/** Throws `ServiceError` for everything that is wrong before there is a transcript. */
export function createTranscriptionEndpoint(
  providers: ProviderCalls<TranscriptionPayload, Transcript>,
  dependencies: TranscriptionDependencies,
): StreamingEndpoint {
  const { receive } = dependencies;
  return createPaidEndpoint(
    {
      kind: 'audio',
      checksFirst: true,
      async read(request, { requestId, remainingTimeMs, silenceMs }, key) {
        const upload = await receive(request);
        const time = routeTimeOf({ remainingTimeMs: remainingTimeMs(), silentTimeMs: silenceMs });
        try {
          return await readTranscription(providers, upload, { requestId, key, time }, dependencies);
        } catch (failure) {
          await upload.dispose();
          throw failure;
        }
      },
    },
    dependencies,
  );
}

async function readTranscription(
  providers: ProviderCalls<TranscriptionPayload, Transcript>,
  upload: Upload,
  { time, ...caller }: Pick<Call, 'requestId' | 'key'> & { readonly time: TimeLeft },
  dependencies: TranscriptionDependencies,
): Promise<PaidCall<KindResult<Transcript>>> {
  const form = readForm(upload);
  const { content, sha256 } = form.file;
  const type = await requireAudio(form.file);
  const catalog = await dependencies.catalog();
  const namedModel = modelOf(catalog, 'audio', form.fields.model);
  const length = await measureAudio(content, type.extension, dependencies.after);
  const recording = { bytes: content.size, length };
  const model = withRoutesFor(namedModel, recording, time);
  const attempts: Promise<unknown>[] = [];
  const amount = measuredCost(model, { seconds: maxSeconds(recording) });
  const call = kindCall(
    {
      kind: 'audio',
      model,
      catalog: catalog.version,
      stream: false,
      fields: TRANSCRIPTION_FIELDS,
      request: Object.fromEntries(form.forwarded.map(([name, value]) => [nameInForm(name), value])),
      controls: NO_CONTROLS,
      estimate: () => ({ tokens: 0, amount }),
      providers,
      payloadOf(body) {
        const fields = form.forwarded.filter(([name]) => Object.hasOwn(body, nameInForm(name)));
        const untilEnded = (work: Promise<unknown>) => void attempts.push(work);
        return { content, sha256, type, length, fields, untilEnded };
      },
      prepare: (response) =>
        prepareTranscript(dependencies, response, { key: caller.key, recording, fields: form.fields }),
    },
    dependencies,
  );
  // The same whatever boundary the form was sent with.
  const identity = JSON.stringify([upload.fields, type.extension, sha256]);
  const dispose = async () => {
    await Promise.allSettled(attempts);
    await upload.dispose();
  };
  return { ...caller, identity, ...call, dispose };
}
