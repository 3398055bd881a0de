/** One hostname for both APIs: CloudFront, and the hosts behind it that API Gateway has no part in. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IOrigin } from 'aws-cdk-lib/aws-cloudfront';
import { OriginProtocolPolicy, VpcOrigin, VpcOriginEndpoint } from 'aws-cdk-lib/aws-cloudfront';
import { VpcOrigin as OriginOfVpc } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { ROUTES } from '../../lambdas/app/routes.ts';
import type { Config } from '../config/config.ts';
import { inferencePatterns } from '../config/edge-paths.ts';
import {
  EdgeDistribution,
  type EdgePaths,
  httpsOrigin,
  ORIGIN_SILENCE,
} from '../constructs/edge/edge-distribution.ts';
import type { HostFunction } from '../constructs/edge/host-function.ts';
import { HostService } from '../constructs/edge/host-service.ts';
import { InferenceHost } from '../constructs/edge/inference-host.ts';
import { uploadFunction, uploadService } from '../constructs/edge/upload-host.ts';
import { EDGE_SECRET_HEADER, edgeSecret } from '../constructs/security/edge-secret.ts';
import type { StoredData } from '../constructs/stored-data.ts';
import { type EDGE_ALARMS, watchEdge } from '../observability/edge-alarms.ts';
import { topicsByName } from '../observability/notifications.ts';
import { saveQueries } from '../observability/saved-queries.ts';
import type { ServiceStack } from './service-stack.ts';

/** The one endpoint whose bodies are too large for API Gateway. */
const UPLOADS = 'create-transcription';

/** The alarms of calls, not of health, which a task reports before its first call. */
const RELEASE_ALARMS = ['host-5xx', 'balancer-5xx'] as const satisfies readonly (keyof typeof EDGE_ALARMS)[];

/**
 * Has both stacks export whatever this one may import under any setting, this one left out included: they are deployed
 * first, and CloudFormation lets neither drop an export that this stack, as it was deployed before, still imports.
 */
export function retainExports({
  inference,
  platform,
}: Pick<IngressStackProps, 'inference' | 'platform'>): void {
  const { settlements, functions } = inference;
  const { role, logGroup } = functions.get(UPLOADS)?.hosting ?? {};
  const hosting = [role?.roleArn, logGroup?.logGroupName, logGroup?.logGroupArn];
  for (const value of [inference.api.id, settlements?.stateMachineArn, ...hosting])
    if (value !== undefined) inference.exportValue(value);
  platform.exportValue(platform.api.id);
}

export interface IngressStackProps extends StackProps {
  readonly config: Config;
  readonly data: StoredData;
  readonly bundles: string;
  readonly inference: ServiceStack;
  readonly platform: ServiceStack;
}

/** Separate from the stacks of the service, so that new features of AWS cannot block the deployment of those. */
export class IngressStack extends Stack {
  readonly distributionId: string;

  constructor(scope: Construct, id: string, props: IngressStackProps) {
    super(scope, id, props);
    const { config, platform } = props;
    const distribution = new EdgeDistribution(this, 'Ingress', {
      paths: config.compute === 'lambda' ? this.#functions(props) : this.#host(props),
      rest: apiOrigin(platform, config),
      domain: config.edgeDomain,
    });
    const { domainName, distributionId } = distribution;
    this.distributionId = distributionId;
    new CfnOutput(this, 'BaseUrl', { value: `https://${config.edgeDomain?.name ?? domainName}` });
    if (config.edgeDomain !== undefined) new CfnOutput(this, 'DomainTarget', { value: domainName });
  }

  /** The functions behind API Gateway, and a host for uploads alone. */
  #functions({ config, bundles, inference }: IngressStackProps): readonly EdgePaths[] {
    const uploads = inference.functions.get(UPLOADS);
    if (uploads === undefined) throw new Error(`no function serves ${UPLOADS}`);
    const options = { config, bundles, hosting: uploads.hosting };
    const host = config.ingress === 'fargate' ? uploadService(this, options) : uploadFunction(this, options);
    this.#watch(host, config);
    const paths = ROUTES.filter(({ endpoint }) => endpoint === UPLOADS).map(({ path }) => path);
    return [
      { origin: hostOrigin(host, config), patterns: paths },
      { origin: apiOrigin(inference, config), patterns: inferencePatterns(ROUTES) },
    ];
  }

  /** Creates the shared host, which serves the complete inference API. */
  #host({ config, data, bundles, inference }: IngressStackProps): readonly EdgePaths[] {
    const { settlements, ipRateLimit } = inference;
    if (settlements === undefined) throw new Error('the shared host needs the workflow of settlements');
    const { host, logGroup } = new InferenceHost(this, 'InferenceTasks', {
      config,
      data,
      bundles,
      settlements,
    });
    this.#watch(host, config);
    saveQueries(this, { folder: `${config.stage}/host`, groups: { host: [logGroup] } });
    ipRateLimit.protect(this, host.balancer.loadBalancerArn);
    return [{ origin: hostOrigin(host, config), patterns: inferencePatterns(ROUTES) }];
  }

  /** Creates the alarms of a host. Those of its calls judge its releases, if ECS makes them. */
  #watch(host: HostFunction | HostService, config: Config): void {
    const topics = topicsByName(this, config);
    const label = config.compute === 'lambda' ? 'uploads' : 'inference';
    if (!(host instanceof HostService)) {
      watchEdge({ scope: this, config, topics }, { label, webFunction: host.functionName });
      return;
    }
    const balancer = {
      name: host.balancer.loadBalancerFullName,
      targetGroup: host.targets.targetGroupFullName,
      zones: host.zones,
    };
    const alarms = watchEdge({ scope: this, config, topics }, { label, balancer });
    host.judgeReleasesBy(RELEASE_ALARMS.flatMap((article) => alarms.get(article) ?? []));
  }
}

/** Returns the headers by which the web ACL of an API or a balancer recognizes CloudFront. */
const edgeHeaders = (config: Config) => ({ [EDGE_SECRET_HEADER]: edgeSecret(config) });

const apiOrigin = ({ api }: ServiceStack, config: Config): IOrigin =>
  httpsOrigin(api.hostname, { originPath: `/${config.stage}`, customHeaders: edgeHeaders(config) });

/** A Web Function has no web ACL before it, and is shown no secret. */
function hostOrigin(host: HostFunction | HostService, config: Config): IOrigin {
  if (!(host instanceof HostService)) return httpsOrigin(host.domainName);
  const { balancer, name } = host;
  // CloudFront changes no VPC origin while a distribution uses it (409). So it has the scope of its balancer, of which its
  // logical id is made, and no tag. Whoever changes a property here gives it another id and name.
  const vpcOrigin = new VpcOrigin(balancer, 'VpcOrigin', {
    endpoint: VpcOriginEndpoint.applicationLoadBalancer(balancer),
    // A name is unique in the account, whatever the region.
    vpcOriginName: `${name}-${Stack.of(balancer).region}`,
    // Within AWS's network: an internal balancer has no name that a certificate could be issued for.
    protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
  });
  return OriginOfVpc.withVpcOrigin(vpcOrigin, {
    domainName: balancer.loadBalancerDnsName,
    readTimeout: ORIGIN_SILENCE,
    customHeaders: edgeHeaders(config),
  });
}
