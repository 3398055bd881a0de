import { describe, expect, it } from '@jest/globals';
import type { Operator } from '../operator.ts';
import { LAYOUT_COMMANDS } from './layouts.ts';
import { verdictOf } from './smoke.ts';
import { TELEMETRY_COMMANDS } from './telemetry.ts';

const NEVER = { url: 'https://example.com', status: 'active', last_success: null, last_error: null };

const show = (destination: object) =>
  TELEMETRY_COMMANDS['telemetry show']?.run(
    { telemetry: { show: async () => destination } } as unknown as Operator,
    [],
  );

describe('telemetry show', () => {
  it('says that a receiver was not tried yet, and keeps its status for programs', async () => {
    const { output, text = '' } = (await show(NEVER)) ?? {};
    expect(output).toEqual(NEVER);
    expect(text).toMatch(/^status +not tried yet, or not within 14 days$/m);
  });

  it.each([
    [{ ...NEVER, last_success: '2026-11-29T17:00:00.000Z' }, 'active'],
    [{ ...NEVER, status: 'disabled' }, 'disabled'],
  ])('prints the status of one that was tried, or is disabled: %j', async (destination, status) => {
    expect((await show(destination))?.text).toMatch(new RegExp(`^status +${status}$`, 'm'));
  });
});

describe('layout show', () => {
  it.each([
    [[], 'nothing to finish'],
    [['keys', 'usage'], 'to finish by "layout finish": keys, usage'],
  ])('ends with what is pending: %j', async (pending, line) => {
    const layouts = { read: async () => ({}), pending: async () => pending };
    const shown = await LAYOUT_COMMANDS['layout show']?.run({ layouts } as unknown as Operator, []);
    expect(shown?.text?.split('\n').at(-1)).toBe(line);
  });
});

describe('the verdict of the smoke test', () => {
  it('counts what was skipped, and names what failed', () => {
    expect(verdictOf([], [])).toBe('everything works');
    expect(verdictOf([], ['image'])).toBe('works, 1 skipped: image');
    expect(verdictOf(['chat'], ['image'])).toBe('failed: chat');
  });
});
