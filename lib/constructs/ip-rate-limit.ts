/** The limit on requests from one IP address: a WAF rate rule that answers in our own envelope. */
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { gatewayErrorBody, IP_RATE_ERROR } from '../../lambdas/contract/gateway-errors.ts';
import type { Config } from '../config/config.ts';

/** The interface counts a minute; WAF offers windows of 60, 120, 300 and 600 s. */
const WINDOW_SECONDS = 60;

/** Set by CloudFront, when it stands in front of the API; its own address would be every caller's. */
export const VIEWER_IP_HEADER = 'x-viewer-ip';

/** By the address that connects; behind CloudFront by the one that it forwards, for requests that carry one. */
function statements(config: Config): Readonly<Record<string, CfnWebACL.RateBasedStatementProperty>> {
  const rate = { limit: config.ipRequestsPerMinute, evaluationWindowSec: WINDOW_SECONDS };
  if (config.ingress === 'none') return { IpRequestsPerMinute: { ...rate, aggregateKeyType: 'IP' } };
  const forwarded: CfnWebACL.StatementProperty = {
    sizeConstraintStatement: {
      fieldToMatch: { singleHeader: { Name: VIEWER_IP_HEADER } },
      comparisonOperator: 'GT',
      size: 0,
      textTransformations: [{ priority: 0, type: 'NONE' }],
    },
  };
  return {
    IpRequestsPerMinute: {
      ...rate,
      aggregateKeyType: 'IP',
      scopeDownStatement: { notStatement: { statement: forwarded } },
    },
    ViewerRequestsPerMinute: {
      ...rate,
      aggregateKeyType: 'FORWARDED_IP',
      forwardedIpConfig: { headerName: VIEWER_IP_HEADER, fallbackBehavior: 'NO_MATCH' },
    },
  };
}

const BODY_KEY = 'too-many-requests';

export class IpRateLimit extends Construct {
  readonly #acl: CfnWebACL;

  constructor(scope: Construct, id: string, props: { readonly config: Config }) {
    super(scope, id);
    const visibility = (metricName: string) => ({
      cloudWatchMetricsEnabled: true,
      metricName,
      sampledRequestsEnabled: false,
    });
    const retryAfter = { name: 'Retry-After', value: String(IP_RATE_ERROR.retryAfterSeconds) };
    this.#acl = new CfnWebACL(this, 'Acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('WebAcl'),
      customResponseBodies: {
        [BODY_KEY]: { contentType: 'APPLICATION_JSON', content: gatewayErrorBody(IP_RATE_ERROR) },
      },
      rules: Object.entries(statements(props.config)).map(([name, rateBasedStatement], priority) => ({
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
  }

  /** Applies the limit to an API's stage. */
  protect(scope: Construct, stage: Stage): void {
    new CfnWebACLAssociation(scope, 'IpRateLimitAssociation', {
      resourceArn: stage.stageArn,
      webAclArn: this.#acl.attrArn,
    });
  }
}
