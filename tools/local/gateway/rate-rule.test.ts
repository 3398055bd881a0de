import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningFixture, startFixture } from '../testing/fixture/running.ts';
import { FIXTURE_TIMEOUT_MS } from '../testing/fixture/synthesize.ts';

let fixture: RunningFixture;

beforeAll(async () => {
  fixture = await startFixture({ ipRequestsPerMinute: 3 });
}, FIXTURE_TIMEOUT_MS);

afterAll(() => fixture.end());

describe("an address over WAF's rate rule", () => {
  it("receives the rule's own response on the protected API and not on the other", async () => {
    const statuses: number[] = [];
    // A fixed window may end between two requests, so more are made than two windows admit.
    for (let sentCount = 0; sentCount < 8; sentCount += 1)
      statuses.push((await fetch(`${fixture.url}/echo`)).status);
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses.at(-1)).toBe(429);
    const response = await fetch(`${fixture.url}/echo`);
    expect([await response.text(), response.headers.get('retry-after')]).toEqual(['{"made_by":"waf"}', '60']);
    expect((await fetch(`${fixture.url}/`)).status).toBe(200);
  });
});
