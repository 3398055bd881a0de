/** Finds the rate rules of the web ACLs and the API stages they protect. */
import type { Stacks } from '../stacks.ts';

/** A limit on the requests of one address, and the answer to what exceeds it. */
export interface RateRule {
  /** Unique in the assembly: stages of one ACL share its counters. */
  readonly id: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface AclProperties {
  readonly CustomResponseBodies?: Readonly<
    Record<string, { readonly Content: string; readonly ContentType: string }>
  >;
  readonly Rules?: readonly Rule[];
}

interface Rule {
  readonly Name: string;
  readonly Statement: {
    readonly RateBasedStatement?: {
      readonly AggregateKeyType: string;
      readonly Limit: number;
      readonly EvaluationWindowSec?: number;
      readonly ScopeDownStatement?: unknown;
    };
  };
  readonly Action?: { readonly Block?: { readonly CustomResponse?: CustomResponse } };
}

interface CustomResponse {
  readonly ResponseCode: number;
  readonly CustomResponseBodyKey?: string;
  readonly ResponseHeaders?: readonly { readonly Name: string; readonly Value: string }[];
}

/** AWS WAF developer guide: the default window of a rate rule. */
const DEFAULT_WINDOW_SECONDS = 300;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  APPLICATION_JSON: 'application/json',
  TEXT_PLAIN: 'text/plain',
  TEXT_HTML: 'text/html',
};

/** The rate rules in front of each stage, by the ARN that an association names. */
export function describeRateRules(stacks: Stacks): ReadonlyMap<string, readonly RateRule[]> {
  const byAcl = new Map(
    stacks.resources('AWS::WAFv2::WebACL').map((resource) => {
      const { arn } = resource;
      return [arn, rateRules(arn, resource.properties<AclProperties>())] as const;
    }),
  );
  const associations = stacks.resources('AWS::WAFv2::WebACLAssociation').map((resource) => {
    const { ResourceArn, WebACLArn } = resource.properties<{ ResourceArn: string; WebACLArn: string }>();
    return [ResourceArn, byAcl.get(WebACLArn) ?? []] as const;
  });
  return new Map(associations);
}

/** Rules of other kinds inspect the request for attacks; the local gateway leaves that to WAF. */
function rateRules(aclArn: string, { Rules, CustomResponseBodies }: AclProperties): readonly RateRule[] {
  return (Rules ?? []).flatMap(({ Name, Statement, Action }) => {
    const rate = Statement.RateBasedStatement;
    if (rate === undefined || Action?.Block === undefined) return [];
    if (rate.AggregateKeyType !== 'IP' || rate.ScopeDownStatement !== undefined) {
      throw new Error(
        `${aclArn}: the local runtime knows rate rules by IP address without a scope only, not ${Name}`,
      );
    }
    const custom = Action.Block.CustomResponse;
    const body = CustomResponseBodies?.[custom?.CustomResponseBodyKey ?? ''];
    const headers = (custom?.ResponseHeaders ?? []).map(({ Name: name, Value }) => [name, Value] as const);
    return {
      id: `${aclArn}#${Name}`,
      limit: Number(rate.Limit),
      windowSeconds: Number(rate.EvaluationWindowSec ?? DEFAULT_WINDOW_SECONDS),
      status: custom?.ResponseCode ?? 403,
      headers: {
        ...Object.fromEntries(headers),
        ...(body === undefined ? {} : { 'content-type': CONTENT_TYPES[body.ContentType] ?? 'text/plain' }),
      },
      body: body?.Content ?? '',
    };
  });
}
