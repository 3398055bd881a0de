import { describe, expect, it } from '@jest/globals';
import { contentEvents, elapsedMs, readWhatComes } from '../received.ts';
import { ask, runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream({ canary: 'heron' });
const asked = ask('Repeat exactly: one two three four five');
const streamed = { ...asked, stream: true as const };
const receive = async (body: object) => readWhatComes(await upstream.post(body));

describe('a model named', () => {
  it.each([400, 404, 429, 500, 503])('fail-%d answers with that status', async (status) => {
    const response = await upstream.post(ask('x', `fail-${status}`));
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '7' : null);
    expect(await response.json()).toEqual({
      error: expect.objectContaining({ message: expect.stringContaining('heron'), type: expect.any(String) }),
    });
  });

  it('hang never answers', async () => {
    await expect(upstream.post(ask('x', 'hang'), { signal: AbortSignal.timeout(50) })).rejects.toThrow(
      'timeout',
    );
  });

  it('slow-first-<ms> sends its first byte after that time', async () => {
    expect(await elapsedMs(() => upstream.post(ask('x', 'slow-first-60')))).toBeGreaterThan(55);
  });

  it('cut-<n> cuts the stream after n content chunks', async () => {
    const { text, whole } = await receive({ ...streamed, model: 'cut-3' });
    expect(whole).toBe(false);
    expect(contentEvents(text)).toBe(3);
  });

  it('no-usage and garbage behave like the faults of that name', async () => {
    expect((await receive({ ...asked, model: 'no-usage' })).text).not.toContain('"usage"');
    expect((await receive({ ...asked, model: 'garbage' })).text).toContain('<!doctype html>');
  });

  it.each([1, 7, 1000])('chunks-%d streams exactly that many content chunks, unpaced', async (count) => {
    const body = {
      ...streamed,
      model: `chunks-${count}`,
      max_tokens: 2,
      stream_options: { include_usage: true },
    };
    const { text } = await receive(body);
    expect(contentEvents(text)).toBe(count);
    expect(text).toContain(`"completion_tokens":${count},`);
  });
});
