/** The service before simulated hosts: a model for each, with a dialect or without. */
import { CountingTill } from '../../fuzz/counting-till.ts';
import { type FuzzRoute, modelOf, routeTo, startService, TRUSTING } from '../../fuzz/running-service.ts';

export interface RunningHost {
  /** The id of the model. */
  readonly id: string;
  readonly quirks: readonly string[];
  readonly dialect?: object;
  readonly protocol?: string;
}

const FIXED_ROUTE: FuzzRoute = {
  fetch,
  bedrockClient() {
    throw new Error('no host here is one of Bedrock');
  },
};

const PRICE = {
  unit: 'per_million_tokens',
  input: 1,
  cached_input: 1,
  cache_writes: { auto: 1 },
  output: 2,
  /** Hosts with `enable_thinking` may have another price for thinking. */
  service_tiers: { thinking: { factor: 1 } },
};

const servedModel = (origin: string, { id, quirks, dialect, protocol = 'openai' }: RunningHost) => {
  const base_url = `${origin}/hosts/${quirks.join(',') || 'none'}/v1`;
  const route = routeTo(origin, protocol, { id, upstream_model: 'chat-cached', base_url, dialect });
  return modelOf(id, 'chat', PRICE, { max_output_tokens: 10_000, routes: [route] });
};

export const startHosts = (hosts: readonly RunningHost[]) =>
  startService(
    new CountingTill(),
    {
      ...FIXED_ROUTE,
      catalog: (origin: string) => ({ models: hosts.map((host) => servedModel(origin, host)) }),
    },
    TRUSTING,
  );
