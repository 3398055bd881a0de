/** The start of speech: a route that sends no audio has failed before the caller has received anything. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { SpeechOutput } from '../../core/kinds/speech/speech.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { guarded } from '../../core/upstream/route-clock.ts';
import { boundedBytes, speechBytes } from '../response-bytes.ts';

/** Waits for the first bytes of the audio of a request. Throws the failure of a silent route if there are none. */
export async function startSpeech(
  audio: AsyncIterable<Uint8Array>,
  payload: JsonObject,
  signal: AbortSignal,
  silence = () => new UpstreamFailure('protocol'),
): Promise<SpeechOutput> {
  const rest = guarded(nonEmpty(boundedBytes(audio, speechBytes(payload))), signal);
  const opening = await rest.next();
  // Audio without a byte is no audio.
  if (opening.done) throw silence();
  return { first: opening.value, rest };
}

async function* nonEmpty(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const bytes of body) if (bytes.length > 0) yield bytes;
}
