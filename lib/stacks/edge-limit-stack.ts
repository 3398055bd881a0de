/**
 * The limit by address for a host that supports no web ACL itself: CloudFront's, which is stored in us-east-1. Deployments
 * of one stage to many regions each have one there, whose names contain the region of the deployment.
 */
import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Config } from '../config/config.ts';
import { IpRateLimit } from '../constructs/edge/ip-rate-limit.ts';
import { EDGE_REGION } from '../observability/edge-alarms.ts';
import { saveQueries } from '../observability/saved-queries.ts';

export class EdgeLimitStack extends Stack {
  readonly webAclArn: string;

  constructor(scope: Construct, id: string, { config, ...props }: StackProps & { readonly config: Config }) {
    super(scope, id, { ...props, env: { region: EDGE_REGION }, crossRegionReferences: true });
    const limit = new IpRateLimit(this, 'IpRateLimit', { config, scope: 'CLOUDFRONT' });
    this.webAclArn = limit.webAclArn;
    saveQueries(this, {
      folder: `${config.stage}/edge-${config.region}`,
      groups: { firewall: [limit.refusals] },
    });
  }
}
