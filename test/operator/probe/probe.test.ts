import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Route } from '../../../lambdas/core/inference/catalog/catalog-document.ts';
import { mostOf, probeRoute } from '../../../operator/probe/probe.ts';
import { STRICT_QUIRKS } from '../../../simulators/models/hosts/quirks.ts';
import { randomFrom } from '../../../simulators/models/model/random.ts';
import { startUpstream, type Upstream } from '../../../simulators/models/server.ts';
import { compatible, dialectOf, FLAGGED, type FlaggedQuirk, UNFLAGGED } from './simulated-hosts.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream({ chunkDelayMs: 0 });
});
afterAll(() => upstream.close());

const routeOn = (quirks: readonly string[], over: Partial<Route> = {}) => ({
  ...{ protocol: 'openai' as const, upstream_model: 'chat', dialect: undefined, reasoning: false },
  base_url: `${upstream.url}/hosts/${quirks.join(',') || 'none'}/v1`,
  ...over,
});

const SECRET = 'sk-secret-0123456789';

const probe = (route: ReturnType<typeof routeOn>, pauseMs = 1) =>
  probeRoute(route, {
    ...{ fetch, pauseMs, secret: SECRET },
    authorize: async () =>
      route.protocol === 'anthropic'
        ? { 'x-api-key': SECRET, 'anthropic-version': '2023-06-01' }
        : { authorization: `Bearer ${SECRET}` },
  });

const expectFound = async (quirks: readonly FlaggedQuirk[], others: readonly string[] = []) => {
  const { found, dialect, unclear, used } = await probe(routeOn([...quirks, ...others]));
  expect({ quirks, others, found, unclear }).toEqual({
    quirks,
    others,
    found: dialectOf(quirks),
    unclear: {},
  });
  expect(dialect).toEqual(found);
  return used;
};

describe('a probe of a host of chat completions', () => {
  it('finds nothing of a host that does as the format says', async () => {
    expect((await expectFound([])).calls).toBeLessThanOrEqual(24);
    await expectFound([], ['thinks-unasked']);
    await expectFound([], ['no-reasoning-effort']);
  });

  it.each(FLAGGED)('finds exactly the flag of %s', async (quirk) => {
    await expectFound([quirk]);
  });

  it('finds every flag of a host that has them all', async () => {
    await expectFound(compatible(FLAGGED));
    await expectFound(compatible(FLAGGED.toReversed()));
  });

  it('finds how a model that thinks by itself is kept from it', async () => {
    for (const way of ['thinks-by-effort', 'thinks-by-switch'] as const)
      await expectFound([way], ['thinks-unasked']);
  });

  it('finds exactly the flags of 20 hosts drawn at random, whatever else they do', async () => {
    const random = randomFrom('hosts of the probe');
    const some = <T>(all: readonly T[], share: number): T[] =>
      all.filter(() => random.integer(1, 100) <= share);
    let flags = 0;
    for (let drawn = 0; drawn < 20; drawn += 1) {
      const quirks = compatible(some(FLAGGED, 40));
      flags += quirks.length;
      await expectFound(quirks, some(UNFLAGGED, 20));
    }
    expect(flags).toBeGreaterThan(80);
  });

  it('knows every strict quirk but those of other requests', () => {
    const unknown = STRICT_QUIRKS.filter((quirk) => !FLAGGED.some((flagged) => flagged === quirk));
    expect(unknown).toEqual(['no-reasoning-effort', 'no-custom-tools']);
  });

  it.each(['m', 'vendor/a-model-with-a-long-name'.repeat(8)])(
    'keeps to what it says that it costs at most, and says little more',
    async (upstream_model) => {
      const most = mostOf({ protocol: 'openai', upstream_model });
      const dearest = ['thinks-by-budget', 'wants-thought-signature', 'only-max-completion-tokens'] as const;
      const { used } = await probe(routeOn(compatible([...dearest, ...FLAGGED]), { upstream_model }));
      for (const name of ['calls', 'input', 'output'] as const) {
        expect([name, used[name] <= most[name]]).toEqual([name, true]);
        expect([name, used[name] > most[name] * 0.9]).toEqual([name, true]);
      }
    },
  );
});
