/** CloudFront as the one hostname of both APIs: caches nothing, and passes on everything but the host's name. */
import { Duration, Validations } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, type HttpOriginProps } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Construct } from 'constructs';
import { EDGE_SILENCE_SECONDS, VIEWER_IP_HEADER } from '../../../lambdas/platform/contract/limits.ts';
import type { Config } from '../../config/config.ts';

/** The time for which an origin may be silent. */
export const ORIGIN_SILENCE = Duration.seconds(EDGE_SILENCE_SECONDS);

/**
 * The errors that CloudFront would cache for ten seconds (CloudFront developer guide, How CloudFront caches errors).
 * The cache key has neither the caller's credentials nor the query, so all callers would receive one caller's error.
 */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504] as const;

/** CloudFront's own addresses hide the callers' from the rate rules behind it, so the edge sends the caller's address. */
const TELL_VIEWER = `function handler(event) {
  var request = event.request;
  request.headers['${VIEWER_IP_HEADER}'] = { value: event.viewer.ip };
  return request;
}`;

/** The origin of the requests of some paths. */
export interface EdgePaths {
  readonly origin: IOrigin;
  /** Path patterns in CloudFront's notation. */
  readonly patterns: readonly string[];
}

export interface EdgeDistributionProps {
  /** The first pattern that fits a path takes it. */
  readonly paths: readonly EdgePaths[];
  /** The origin of every other path. */
  readonly rest: IOrigin;
  readonly domain: Config['edgeDomain'];
}

/** An origin with a name and a certificate of AWS's own. */
export const httpsOrigin = (
  hostname: string,
  options: Pick<HttpOriginProps, 'originPath' | 'customHeaders'> = {},
): IOrigin =>
  new HttpOrigin(hostname, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    readTimeout: ORIGIN_SILENCE,
    ...options,
  });

export class EdgeDistribution extends Construct {
  readonly domainName: string;
  readonly distributionId: string;

  constructor(scope: Construct, id: string, { paths, rest, domain }: EdgeDistributionProps) {
    super(scope, id);
    const tellViewer = new EdgeFunction(this, 'TellViewer', {
      runtime: FunctionRuntime.JS_2_0,
      code: FunctionCode.fromInline(TELL_VIEWER),
    });
    const behaviour = (origin: IOrigin) => ({
      origin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      compress: false,
      functionAssociations: [{ function: tellViewer, eventType: FunctionEventType.VIEWER_REQUEST }],
    });
    const distribution = new Distribution(this, 'Distribution', {
      defaultBehavior: behaviour(rest),
      additionalBehaviors: Object.fromEntries(
        paths.flatMap(({ origin, patterns }) => {
          const shared = behaviour(origin);
          return patterns.map((pattern) => [pattern, shared]);
        }),
      ),
      errorResponses: CACHED_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(domain === undefined ? {} : this.#named(domain)),
    });
    this.domainName = distribution.distributionDomainName;
    this.distributionId = distribution.distributionId;
    this.#acknowledge(distribution);
  }

  #named({ name, certificateArn }: NonNullable<Config['edgeDomain']>) {
    return {
      domainNames: [name],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
    };
  }

  #acknowledge(distribution: Distribution): void {
    const accept = (rule: string, reason: string) =>
      Validations.of(distribution).acknowledge({ id: `AwsSolutions-${rule}`, reason });
    accept('CFR1', 'The service is offered everywhere.');
    accept('CFR2', 'What lies behind has its own web ACL; the edge sends it the caller’s address.');
    accept('CFR3', 'Every origin logs; a log of the edge would hold the keys in /credits/{api_key}.');
    accept('CFR4', 'The default certificate allows no other policy; an operator’s own domain sets its own.');
  }
}
