import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Echo, json, post, type RunningFixture, startFixture } from '../testing/fixture/running.ts';
import { FIXTURE_TIMEOUT_MS } from '../testing/fixture/synthesize.ts';

let fixture: RunningFixture;

beforeAll(async () => {
  fixture = await startFixture();
}, FIXTURE_TIMEOUT_MS);

afterAll(() => fixture.end());

const misbehave = (mode: string) => post(fixture.url, '/misbehave', { way: mode });
const pid = async () => Number(await (await misbehave('pid')).text());
const outcome = async (response: Response) => [response.status, JSON.parse(await response.text()).made_by];

describe('a function', () => {
  it('runs in one process, which all its calls share', async () => {
    const pids = await Promise.all(Array.from({ length: 10 }, pid));
    expect(new Set(pids).size).toBe(1);
  });

  it('causes a 502 if it throws, and its process continues', async () => {
    const before = await pid();
    expect(await outcome(await misbehave('throw'))).toEqual([502, 'DEFAULT_5XX']);
    expect(await pid()).toBe(before);
  });

  it('causes a 502 for all open calls if it crashes, and the next call has a new process', async () => {
    const before = await pid();
    const waiting = misbehave('hang');
    expect(await outcome(await misbehave('crash'))).toEqual([502, 'DEFAULT_5XX']);
    expect(await outcome(await waiting)).toEqual([502, 'DEFAULT_5XX']);
    expect(await pid()).not.toBe(before);
  });

  it('stops at its timeout even if it never yields', async () => {
    expect(await outcome(await misbehave('spin'))).toEqual([503, 'INTEGRATION_TIMEOUT']);
    expect((await misbehave('pid')).status).toBe(200);
  });

  it('causes a 502 if its response is larger than Lambda allows', async () => {
    expect(await outcome(await misbehave('huge'))).toEqual([502, 'DEFAULT_5XX']);
  });

  it('receives its name, its memory and its remaining time from the template', async () => {
    const { context, environment } = await json<Echo>(await fetch(`${fixture.url}/echo`));
    expect(context).toMatchObject({ memoryLimitInMB: '256', functionVersion: '$LATEST' });
    expect(context.invokedFunctionArn).toBe(
      `arn:aws:lambda:us-east-1:000000000000:function:${context.functionName}`,
    );
    expect(context.remainingTimeMs).toBeGreaterThan(0);
    expect(context.remainingTimeMs).toBeLessThanOrEqual(10_000);
    expect(environment.TABLE).toBe(fixture.environment.TABLE);
  });
});
