/** The service before simulated hosts: a model for each, with a dialect or without. */
import type { Breaker } from '../../../lambdas/inference/core/circuit/breaker.ts';
import { CountingTill } from '../../fuzz/counting-till.ts';
import { type FuzzRoute, startService } from '../../fuzz/running-service.ts';

export interface RunningHost {
  /** The id of the model. */
  readonly id: string;
  readonly quirks: readonly string[];
  readonly dialect?: object;
  readonly protocol?: string;
}

/** No host is avoided for what it did before. */
const TRUSTING = {
  refresh: async () => {},
  admit: async () => ({ allowed: true }),
  succeeded: () => ({}),
  failed: () => {},
  broke: () => {},
  abandoned: () => {},
  flush: async () => {},
} as unknown as Breaker;

const FIXED_ROUTE: FuzzRoute = {
  fetch,
  bedrockClient() {
    throw new Error('no host here is one of Bedrock');
  },
};

/** Hosts that are asked by `enable_thinking` may have another price for what is thought. */
const SERVICE_TIERS = { thinking: { factor: 1 } };

const modelOf = (origin: string, { id, quirks, dialect, protocol = 'openai' }: RunningHost) => ({
  id,
  type: 'chat',
  owned_by: 'sim',
  created: 1,
  max_output_tokens: 10_000,
  price: {
    unit: 'per_million_tokens',
    input: 1,
    cached_input: 1,
    cache_writes: { auto: 1 },
    output: 2,
    service_tiers: SERVICE_TIERS,
  },
  routes: [
    {
      id,
      protocol,
      upstream_model: 'chat-cached',
      secret: 'env:KEY',
      dialect,
      base_url: `${origin}/hosts/${quirks.join(',') || 'none'}/v1`,
      capabilities: ['tools', 'json', 'vision', 'stream'],
    },
  ],
});

export const startHosts = (hosts: readonly RunningHost[]) =>
  startService(
    new CountingTill(),
    { ...FIXED_ROUTE, catalog: (origin: string) => ({ models: hosts.map((host) => modelOf(origin, host)) }) },
    TRUSTING,
  );
