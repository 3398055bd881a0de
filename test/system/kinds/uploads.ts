import { describe, expect, it } from '@jest/globals';
import { onLinux } from '../../../tools/test-kit/on-linux.ts';
import { form, wavOfBytes } from '../../../tools/test-kit/recordings.ts';
import { errorOf, Payer } from '../payer.ts';
import { memoryOf, processesOf } from '../processes.ts';
import { service } from './service.ts';

const payer = Payer.ofTests(service, '5');

const PATH = '/v1/audio/transcriptions';
const MB = 1024 * 1024;

const LIMIT_BYTES = 25 * MB;

/** The memory that a file may leave in the server: chunks in transit, and the overhead of Node.js. */
const FLAT_MB = 60;

describe('a file for a transcription', () => {
  it('passes at exactly 25 MB', async () => {
    const recording = form(wavOfBytes(LIMIT_BYTES), 'long.wav', { response_format: 'verbose_json' });
    const response = await payer.post(PATH, recording);
    expect(response.status).toBe(200);
    // 48,000 bytes a second behind a header of 44; half a sample counts for nothing.
    const { duration } = (await response.json()) as { duration: number };
    expect(duration).toBeCloseTo((LIMIT_BYTES - 44) / 48_000, 3);
    expect(await payer.record(response)).toMatchObject({ input_units: duration, estimated: false });
  });

  it('fails at a byte more than 25 MB with an error that names it, and holds nothing', async () => {
    const before = await payer.wallet();
    const response = await payer.post(PATH, form(wavOfBytes(LIMIT_BYTES + 1), 'long.wav'));
    expect(await errorOf(response)).toMatchObject({ status: 400, code: 'file_too_large', param: 'file' });
    expect(await payer.wallet()).toEqual(before);
  });

  onLinux('leaves memory flat as more than that pass', async () => {
    const [host = 0] = processesOf(service.session.pid, 'host.mjs');
    const file = wavOfBytes(LIMIT_BYTES);
    const before = memoryOf(host);
    for (let turn = 0; turn < 3; turn += 1)
      expect((await payer.post(PATH, form(file, 'long.wav'))).status).toBe(200);
    const after = memoryOf(host);
    expect(after.nowMb - before.nowMb).toBeLessThan(FLAT_MB);
  });

  it('holds nothing when its caller leaves in the middle', async () => {
    const leave = new AbortController();
    const { body, headers } = new Response(form(wavOfBytes(LIMIT_BYTES), 'long.wav'));
    let heldBytes = 0;
    const leaving = new TransformStream<Uint8Array, Uint8Array>({
      transform(fragment, controller) {
        heldBytes += fragment.length;
        if (heldBytes > MB) leave.abort();
        controller.enqueue(fragment);
      },
    });
    const upload = service.fetch(PATH, {
      method: 'POST',
      key: payer.key,
      headers,
      duplex: 'half',
      signal: leave.signal,
      body: body?.pipeThrough(leaving) ?? null,
    });
    await expect(upload).rejects.toThrow();
    expect((await payer.wallet()).held).toBe(0);
    expect((await payer.post(PATH, form(wavOfBytes(MB), 'short.wav'))).status).toBe(200);
  });

  it('rejects other methods of the path as everywhere', async () => {
    const response = await service.fetch(PATH, { key: payer.key });
    expect(await errorOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });
});
