/** The limit on requests from one IP address: a WAF rate rule that responds in our envelope. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { gatewayErrorBody, IP_RATE_ERROR } from '../../../lambdas/platform/contract/gateway-errors.ts';
import { VIEWER_IP_HEADER } from '../../../lambdas/platform/contract/limits.ts';
import { type Config, hasEdge } from '../../config/config.ts';
import { createEdgeSecrets, EDGE_SECRET_HEADER } from '../security/edge-secret.ts';

/** The interface counts a minute; WAF offers windows of 60, 120, 300 and 600 s. */
const WINDOW_SECONDS = 60;

export interface IpRateLimitProps {
  readonly config: Config;
}

/**
 * Counts by the address that connects; for requests that show one of the secrets, which are CloudFront's, by the one that it
 * forwards. A request that brings an address without a secret is counted like any other.
 */
function statements(
  { ipRequestsPerMinute: limit }: Config,
  secrets: readonly string[],
): Readonly<Record<string, CfnWebACL.RateBasedStatementProperty>> {
  const rate = { limit, evaluationWindowSec: WINDOW_SECONDS };
  const shown = secrets.map(shows);
  const [one, ...rest] = shown;
  if (one === undefined) return { IpRequestsPerMinute: { ...rate, aggregateKeyType: 'IP' } };
  const fromEdge = rest.length === 0 ? one : { orStatement: { statements: shown } };
  return {
    IpRequestsPerMinute: {
      ...rate,
      aggregateKeyType: 'IP',
      scopeDownStatement: { notStatement: { statement: fromEdge } },
    },
    ViewerRequestsPerMinute: {
      ...rate,
      aggregateKeyType: 'FORWARDED_IP',
      forwardedIpConfig: { headerName: VIEWER_IP_HEADER, fallbackBehavior: 'NO_MATCH' },
      scopeDownStatement: fromEdge,
    },
  };
}

const shows = (secret: string): CfnWebACL.StatementProperty => ({
  byteMatchStatement: {
    fieldToMatch: { singleHeader: { Name: EDGE_SECRET_HEADER } },
    positionalConstraint: 'EXACTLY',
    searchString: secret,
    textTransformations: [{ priority: 0, type: 'NONE' }],
  },
});

const BODY_KEY = 'too-many-requests';

/** The headers that a caller's credential may come in, and that of CloudFront. */
const CREDENTIALS = ['authorization', 'x-api-key', 'cookie', EDGE_SECRET_HEADER] as const;

export class IpRateLimit extends Construct {
  readonly #acl: CfnWebACL;
  /** The log of rejected requests. */
  readonly refusals: LogGroup;

  constructor(scope: Construct, id: string, { config }: IpRateLimitProps) {
    super(scope, id);
    const visibility = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    const { resources, accepted } = hasEdge(config)
      ? createEdgeSecrets(this, config)
      : { resources: [], accepted: [] };
    const retryAfter = { name: 'Retry-After', value: String(IP_RATE_ERROR.retryAfterSeconds) };
    this.#acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('WebAcl'),
      customResponseBodies: {
        [BODY_KEY]: { contentType: 'APPLICATION_JSON', content: gatewayErrorBody(IP_RATE_ERROR) },
      },
      rules: Object.entries(statements(config, accepted)).map(([name, rateBasedStatement], priority) => ({
        name,
        priority,
        statement: { rateBasedStatement },
        action: {
          block: {
            customResponse: {
              responseCode: IP_RATE_ERROR.status ?? 429,
              customResponseBodyKey: BODY_KEY,
              responseHeaders: [retryAfter],
            },
          },
        },
        visibilityConfig: visibility(name),
      })),
    });
    // They are referred to by name.
    this.#acl.node.addDependency(...resources);
    this.refusals = this.#logRefusals(config);
  }

  /** Logs the rejected addresses and their rule, without any field that could contain a credential. */
  #logRefusals(config: Config): LogGroup {
    const refusals = new LogGroup(this, 'Refusals', {
      // WAF takes groups of such names alone (developer guide, Logging web ACL traffic).
      logGroupName: `aws-waf-logs-${config.stage}-regional`,
      retention: config.logRetentionDays,
      // The name is needed again by the next deployment of the stage.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: this.#acl.attrArn,
      logDestinationConfigs: [refusals.logGroupArn],
      redactedFields: [
        // Keys are in the path of /credits/{api_key} too.
        { uriPath: {} },
        { queryString: {} },
        ...CREDENTIALS.map((Name) => ({ singleHeader: { Name } })),
      ],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ALL',
            Conditions: [{ ActionCondition: { Action: 'BLOCK' } }],
          },
        ],
      },
    });
    return refusals;
  }

  /** Applies the limit to what takes requests in this region: an API's stage or a load balancer. */
  protect(scope: Construct, resourceArn: string): void {
    const { attrArn: webAclArn } = this.#acl;
    new CfnWebACLAssociation(scope, 'IpRateLimitAssociation', { resourceArn, webAclArn });
  }
}
