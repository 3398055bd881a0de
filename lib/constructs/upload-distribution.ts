/** CloudFront in front of the API and the upload host: caches nothing, and passes on everything but the host's name. */
import { Duration, Validations } from 'aws-cdk-lib';
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
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { Construct } from 'constructs';
import { VIEWER_IP_HEADER } from './ip-rate-limit.ts';

/** The longest silence of an origin that CloudFront allows without a raised quota (CloudFront quotas). */
export const ORIGIN_SILENCE = Duration.seconds(60);

/** CloudFront's own addresses hide the callers' from the API's rate rule, so the edge sends the caller's address. */
const TELL_VIEWER = `function handler(event) {
  var request = event.request;
  request.headers['${VIEWER_IP_HEADER}'] = { value: event.viewer.ip };
  return request;
}`;

export interface UploadDistributionProps {
  readonly api: { readonly host: string; readonly stage: string };
  /** What takes the uploads. */
  readonly uploads: IOrigin;
  readonly uploadPaths: readonly string[];
}

/** An origin with a name and a certificate of AWS's own. */
export const httpsOrigin = (host: string, originPath?: string): IOrigin =>
  new HttpOrigin(host, {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    readTimeout: ORIGIN_SILENCE,
    ...(originPath === undefined ? {} : { originPath }),
  });

export class UploadDistribution extends Construct {
  readonly domainName: string;

  constructor(scope: Construct, id: string, props: UploadDistributionProps) {
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
    const uploads = behaviour(props.uploads);
    const distribution = new Distribution(this, 'Distribution', {
      defaultBehavior: behaviour(httpsOrigin(props.api.host, `/${props.api.stage}`)),
      additionalBehaviors: Object.fromEntries(props.uploadPaths.map((path) => [path, uploads])),
      httpVersion: HttpVersion.HTTP2_AND_3,
    });
    this.domainName = distribution.distributionDomainName;
    const accept = (rule: string, reason: string) =>
      Validations.of(distribution).acknowledge({ id: `AwsSolutions-${rule}`, reason });
    accept('CFR1', 'The service is offered everywhere.');
    accept('CFR2', 'The API has its own web ACL; the edge sends it the caller’s address.');
    accept('CFR3', 'Both origins log; a log of the edge would hold the keys in /credits/{api_key}.');
    accept('CFR4', 'The default certificate allows no other policy; an operator’s own domain sets its own.');
  }
}
