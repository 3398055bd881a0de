/** Probes the host of a route by calls that each ask whether it takes something, and compares that with the catalog. */

import type { Route } from '../../lambdas/core/inference/catalog/catalog-document.ts';
import { type Dialect, dialect as dialectSchema } from '../../lambdas/core/inference/catalog/dialect.ts';
import { Allowance, type Usage } from './allowance.ts';
import { probeChat } from './chat-probe.ts';
import { type Asked, Findings, type Flag } from './findings.ts';
import { type Address, Host, isProbed, type ProbedProtocol } from './host.ts';
import { probeMessages } from './messages-probe.ts';
import { probeResponses } from './responses-probe.ts';

/** The most that a probe uses, tokens, without the name of the model that stands in each request; few hosts need all of it. */
const MOST: Readonly<Record<ProbedProtocol, Usage>> = {
  openai: { calls: 28, input: 22_600, output: 9_000 },
  'openai-responses': { calls: 5, input: 3_300, output: 200 },
  anthropic: { calls: 5, input: 3_300, output: 1_400 },
};

const PROBES = {
  openai: probeChat,
  'openai-responses': probeResponses,
  anthropic: probeMessages,
} as const satisfies Readonly<Record<ProbedProtocol, unknown>>;

/** What the probe of a route uses at most. Throws for a protocol that is not probed. */
export function mostOf({
  protocol,
  upstream_model: model,
}: Pick<Route, 'protocol' | 'upstream_model'>): Usage {
  if (isProbed(protocol)) {
    const { calls, input, output } = MOST[protocol];
    return { calls, output, input: input + calls * Buffer.byteLength(JSON.stringify(model)) };
  }
  throw new Error(
    `routes of the protocol ${protocol} are not probed; those of ${Object.keys(MOST).join(', ')} are`,
  );
}

/** A flag of which the probe and the catalog say different things; null: nothing. */
export interface Difference {
  readonly flag: Flag;
  readonly found: unknown;
  readonly catalog: unknown;
}

export interface Probed {
  readonly found: Dialect;
  readonly differences: readonly Difference[];
  /** Flags that the host was asked about without a clear answer, and why. */
  readonly unclear: Readonly<Partial<Record<Flag, string>>>;
  /** What was found, and of what was not clear what the catalog says. */
  readonly dialect: Dialect;
  readonly asked: readonly Asked[];
  readonly used: Usage;
}

type ProbedRoute = Pick<Route, 'protocol' | 'base_url' | 'upstream_model' | 'dialect' | 'reasoning'>;

/** Makes the calls one after the other. Throws with the host's reason when not even a plain call works. */
export async function probeRoute(route: ProbedRoute, address: Omit<Address, 'route'>): Promise<Probed> {
  const allowance = new Allowance(mostOf(route));
  const findings = new Findings(new Host({ ...address, route }, allowance));
  if (isProbed(route.protocol)) await PROBES[route.protocol](findings, route.upstream_model);
  const { dialect: found, unclear, asked } = findings;
  const catalog: Dialect = route.dialect ?? {};
  const kept = Object.fromEntries([...unclear.keys()].map((flag) => [flag, catalog[flag]]));
  return {
    ...{ found, asked, used: allowance.used, unclear: Object.fromEntries(unclear) },
    differences: differencesOf(found, expected(route), unclear),
    dialect: dialectSchema.parse(JSON.parse(JSON.stringify({ ...kept, ...found }))),
  };
}

/** The catalog's flags, with those that follow from other fields of the route. */
const expected = ({ dialect, reasoning }: ProbedRoute): Dialect => ({
  ...(reasoning ? { max_tokens_field: 'max_completion_tokens' } : {}),
  ...dialect,
});

function differencesOf(
  found: Dialect,
  catalog: Dialect,
  unclear: ReadonlyMap<Flag, string>,
): readonly Difference[] {
  const flags = new Set([...Object.keys(found), ...Object.keys(catalog)] as Flag[]);
  return [...flags]
    .filter((flag) => found[flag] !== catalog[flag] && !unclear.has(flag))
    .map((flag) => ({ flag, found: found[flag] ?? null, catalog: catalog[flag] ?? null }));
}
