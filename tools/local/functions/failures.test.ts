import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Echo, json, post, type RunningFixture, startFixture } from '../testing/fixture/running.ts';
import { FIXTURE_TIMEOUT_MS } from '../testing/fixture/synthesize.ts';

let fixture: RunningFixture;

beforeAll(async () => {
  fixture = await startFixture();
}, FIXTURE_TIMEOUT_MS);

afterAll(() => fixture.end());

const misbehave = (way: string) => post(fixture.url, '/misbehave', { way });
const pid = async () => Number(await (await misbehave('pid')).text());
const outcome = async (answer: Response) => [answer.status, JSON.parse(await answer.text()).made_by];

describe('a function', () => {
  it('is one process, which all its calls share', async () => {
    const pids = await Promise.all(Array.from({ length: 10 }, pid));
    expect(new Set(pids).size).toBe(1);
  });

  it('that throws is a 502, and its process goes on', async () => {
    const before = await pid();
    expect(await outcome(await misbehave('throw'))).toEqual([502, 'DEFAULT_5XX']);
    expect(await pid()).toBe(before);
  });

  it('that crashes is a 502 for the calls in flight, and the next call has a new process', async () => {
    const before = await pid();
    const waiting = misbehave('hang');
    expect(await outcome(await misbehave('crash'))).toEqual([502, 'DEFAULT_5XX']);
    expect(await outcome(await waiting)).toEqual([502, 'DEFAULT_5XX']);
    expect(await pid()).not.toBe(before);
  });

  it('that never yields is ended all the same', async () => {
    expect(await outcome(await misbehave('spin'))).toEqual([503, 'INTEGRATION_TIMEOUT']);
    expect((await misbehave('pid')).status).toBe(200);
  });

  it('that answers more than Lambda takes is a 502', async () => {
    expect(await outcome(await misbehave('huge'))).toEqual([502, 'DEFAULT_5XX']);
  });

  it('knows its name, its memory and the time it has left, from the template', async () => {
    const { context, environment } = await json<Echo>(await fetch(`${fixture.url}/echo`));
    expect(context).toMatchObject({ memoryLimitInMB: '256', functionVersion: '$LATEST' });
    expect(context.invokedFunctionArn).toBe(
      `arn:aws:lambda:us-east-1:000000000000:function:${context.functionName}`,
    );
    expect(context.remainingTimeMs).toBeGreaterThan(0);
    expect(context.remainingTimeMs).toBeLessThanOrEqual(10_000);
    expect(environment.TABLE).toBe(fixture.environment.TABLE);
  });

  it('prints to the terminal', async () => {
    await misbehave('print');
    const printed = () =>
      fixture.lines.filter((line) => /INFO misbehave hello amount=3$|misbehave plain words$/.test(line));
    for (let look = 0; look < 1_000 && printed().length < 2; look += 1) await pause(20);
    expect(printed()).toHaveLength(2);
  });
});
