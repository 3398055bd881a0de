/** Replays the recorded responses of real servers through a provider, for callers of every format. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  FORMAT_NAMES,
  type FormatName,
  type ReceivedResponse,
  receive,
  receiveFailure,
  shownText,
} from '../../completions/received.ts';
import { formatCases, type ServedCall, serve } from '../../completions/served-call.ts';
import { exceptionFrame, frame } from '../bedrock/frames.ts';

/** A recorded body, and what the documentation of its server says that it means. */
interface Recording {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  /** The ids of the calls, if the server has its own for each. */
  readonly ids: readonly string[] | undefined;
  /** `failure`: the response failed. `unclean`: it failed, or its end says that it is not whole. */
  readonly end: ReceivedResponse['end'] | 'failure' | 'unclean';
  /** Tokens of the prompt, of its cached part, and of the output. Absent if the server does not count them. */
  readonly usage: Pick<ReceivedResponse, 'prompt' | 'cached' | 'output'> | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  stream: 'text/event-stream',
  bedrock: 'application/vnd.amazon.eventstream',
};

/** Returns the frames of a Converse stream that is recorded as the events that AWS's client yields, a line each. */
const toFrames = (lines: string): Uint8Array =>
  Buffer.concat(
    lines
      .trim()
      .split('\n')
      .flatMap((line) => Object.entries(JSON.parse(line) as Record<string, { readonly message?: string }>))
      .map(([type, payload]) =>
        type.endsWith('Exception') ? exceptionFrame(type, payload.message ?? '') : frame([type, payload]),
      ),
  );

function readUsage(usage: string | undefined): Recording['usage'] {
  if (usage === undefined) return undefined;
  const [, prompt, cached = 0, output] = /^(\d+) in, (?:(\d+) cached, )?(\d+) out$/.exec(usage) ?? [];
  return { prompt: Number(prompt), cached: Number(cached), output: Number(output) };
}

/** Reads a recording: fields, a blank line, and the body. */
function readRecording(path: string): Recording {
  const file = readFileSync(path, 'utf8');
  const bodyStart = file.indexOf('\n\n') + 2;
  const fields = file
    .slice(0, bodyStart)
    .trim()
    .split('\n')
    .map((line) => /^([a-z-]+): (.*)$/.exec(line)?.slice(1) ?? ['', line]);
  const all = (name: string) => fields.flatMap(([field, value = '']) => (field === name ? value : []));
  for (const name of ['source', 'form', 'end'])
    if (all(name).length !== 1) throw new Error(`${path} has no ${name}`);
  const [form = ''] = all('form');
  const [type = TYPES[form] ?? ''] = all('content-type');
  const body = file.slice(bodyStart);
  return {
    contentType: type,
    body: form === 'bedrock' ? toFrames(body) : Buffer.from(body),
    text: all('text')
      .map((text) => JSON.parse(text))
      .join(''),
    calls: all('call').map((call) => {
      const at = call.indexOf(' ');
      return { name: call.slice(0, at), input: JSON.parse(call.slice(at)) };
    }),
    ids: all('ids')[0]?.split(' '),
    end: all('end')[0] ?? '',
    usage: readUsage(all('usage')[0]),
  };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.txt'))
    .sort();

/** Serves a recording to a caller of a format. */
const serveRecording = (protocol: string, format: FormatName, { contentType, body }: Recording) =>
  serve(formatCases(contentType !== TYPES.json)[format], { protocol, contentType, reads: [body] });

const isUnclean = ({ end }: Recording): boolean => end === 'failure' || end === 'unclean';

async function expectFailure(format: FormatName, served: ServedCall, recording: Recording): Promise<void> {
  const isStream = recording.contentType !== TYPES.json;
  if (recording.end === 'failure' || served.failure !== undefined) {
    expect(served.failure).toBeDefined();
    if (!isStream) return;
    expect(await receiveFailure(format, served.text)).toBe(true);
    expect(shownText(served.text)).toBe(recording.text);
    return;
  }
  const { end } = await receive(format, served.text, isStream);
  expect(['stop', 'calls']).not.toContain(end);
}

async function expectResponse(format: FormatName, served: ServedCall, recording: Recording): Promise<void> {
  const { text, calls, end, usage, ids: ownIds } = recording;
  expect(served.failure).toBeUndefined();
  const { ids, ...heard } = await receive(format, served.text, recording.contentType !== TYPES.json);
  expect(heard).toMatchObject({ text, calls, end, ...usage });
  expect(new Set(ids).size).toBe(calls.length);
  if (ownIds !== undefined) expect(ids).toEqual(ownIds);
  const { prompt: inputUnits, cached: cachedUnits, output: outputUnits } = usage ?? heard;
  expect(served.settled).toMatchObject([{ inputUnits, cachedUnits, outputUnits, status: 'completed' }]);
  if (usage !== undefined) expect(served.settled[0]?.estimated).toBe(false);
}

/** Declares the tests of a protocol's recordings: those in its folder, however deep. */
export function describeRecordings(protocol: string): void {
  const folder = join(import.meta.dirname, protocol);
  describe('a recorded response', () => {
    it.each(filesIn(folder).flatMap((name) => FORMAT_NAMES.map((format) => [name, format] as const)))(
      'gives text, calls, end and bill as its server documents them: %s, %s',
      async (name, format) => {
        const recording = readRecording(join(folder, name));
        const served = await serveRecording(protocol, format, recording);
        expect(served.settled).toHaveLength(1);
        expect((served.settled[0]?.amount ?? 0n) <= served.hold).toBe(true);
        expect(served.openBodies).toBe(0);
        await (isUnclean(recording) ? expectFailure : expectResponse)(format, served, recording);
      },
    );
  });
}
