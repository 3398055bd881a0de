/** CloudFront's distribution of a template, read as CloudFront reads it: which origin takes a path. */
import { matchesPattern } from '../../../lib/config/edge-paths.ts';
import { joined, type SynthesizedApp } from '../synthesized-app.ts';

interface Behaviour {
  readonly TargetOriginId: string;
  readonly PathPattern?: string;
  readonly AllowedMethods: readonly string[];
  readonly ViewerProtocolPolicy: string;
}

interface Origin {
  readonly Id: string;
  readonly DomainName: unknown;
  readonly OriginPath?: string;
  readonly VpcOriginConfig?: object;
  readonly CustomOriginConfig?: object;
  readonly OriginCustomHeaders?: readonly { readonly HeaderName: string; readonly HeaderValue: unknown }[];
}

export interface DistributionConfig {
  readonly DefaultCacheBehavior: Behaviour;
  readonly CacheBehaviors: readonly Behaviour[];
  readonly Origins: readonly Origin[];
  readonly Aliases?: readonly string[];
  readonly ViewerCertificate?: object;
  readonly CustomErrorResponses?: readonly {
    readonly ErrorCode: number;
    readonly ErrorCachingMinTTL: number;
  }[];
}

export const distributionOf = (app: SynthesizedApp): DistributionConfig =>
  app.only('ingress', 'AWS::CloudFront::Distribution').Properties.DistributionConfig as DistributionConfig;

/** Returns the origin of a path, by the first behavior that matches: one of the two APIs, or a type of host. */
export function originOf(app: SynthesizedApp, path: string): string {
  const { CacheBehaviors: behaviours, DefaultCacheBehavior: rest, Origins: origins } = distributionOf(app);
  const { TargetOriginId: id } =
    behaviours.find(({ PathPattern: pattern = '' }) => matchesPattern(pattern, path)) ?? rest;
  const origin = origins.find(({ Id }) => Id === id);
  if (origin === undefined) throw new Error(`no origin is ${id}`);
  if (origin.VpcOriginConfig !== undefined) return 'tasks';
  const parts = origin.DomainName as { 'Fn::Join'?: [string, { 'Fn::ImportValue'?: string }[]] };
  const [, api] = /^Inference-prod-(\w+):/.exec(parts['Fn::Join']?.[1][0]?.['Fn::ImportValue'] ?? '') ?? [];
  if (api === undefined) return /UploadHost/.test(joined(origin.DomainName)) ? 'web function' : '?';
  return `${api}${origin.OriginPath}`;
}
