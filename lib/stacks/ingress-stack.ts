/** One hostname for everything: CloudFront in front of the API, and of the host that takes uploads of 25 MB. */
import { CfnOutput, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { type IOrigin, OriginProtocolPolicy } from 'aws-cdk-lib/aws-cloudfront';
import { VpcOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { ROUTES } from '../../lambdas/contract/routes.ts';
import type { Config } from '../config/config.ts';
import type { EndpointApi } from '../constructs/endpoint-api.ts';
import type { Hosting } from '../constructs/hosting.ts';
import { httpsOrigin, ORIGIN_SILENCE, UploadDistribution } from '../constructs/upload-distribution.ts';
import { UploadHost } from '../constructs/upload-host.ts';
import { UploadService } from '../constructs/upload-service.ts';

export interface IngressStackProps extends StackProps {
  readonly config: Config;
  readonly bundles: string;
  readonly api: EndpointApi;
  /** The transcription function's own, so that both hosts act in one role. */
  readonly hosting: Hosting;
}

/** Apart from the stacks of the service, so that what is new in AWS cannot keep those from being deployed. */
export class IngressStack extends Stack {
  constructor(scope: Construct, id: string, props: IngressStackProps) {
    super(scope, id, props);
    const { config, api } = props;
    const distribution = new UploadDistribution(this, 'Ingress', {
      api: { host: api.host, stage: config.stage },
      uploads: config.ingress === 'fargate' ? this.#service(props) : this.#webFunction(props),
      uploadPaths: ROUTES.filter(({ endpoint }) => endpoint === 'create-transcription').map(
        ({ path }) => path,
      ),
    });
    new CfnOutput(this, 'BaseUrl', { value: `https://${distribution.domainName}` });
  }

  #webFunction({ bundles, hosting }: IngressStackProps): IOrigin {
    const { domainName } = new UploadHost(this, 'UploadHost', { bundles, hosting });
    this.#acknowledge();
    return httpsOrigin(domainName);
  }

  #service({ config, bundles, hosting }: IngressStackProps): IOrigin {
    const { balancer } = new UploadService(this, 'UploadService', { config, bundles, hosting });
    return VpcOrigin.withApplicationLoadBalancer(balancer, {
      // Within AWS's network: an internal balancer has no name that a certificate could be issued for.
      protocolPolicy: OriginProtocolPolicy.HTTP_ONLY,
      readTimeout: ORIGIN_SILENCE,
    });
  }

  /** What the CDK makes for the code of a Web Function: a bucket, and a function that copies the code into it. */
  #acknowledge(): void {
    const accept = (id: string, reason: string) =>
      Validations.of(this).acknowledge({ id: `AwsSolutions-${id}`, reason });
    const copy = 'The CDK’s own function copies the code from its bucket of assets, and nothing else.';
    accept('S1', 'The bucket holds the code alone, and Lambda alone reads it.');
    accept(
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
      copy,
    );
    accept(
      'IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*]',
      copy,
    );
    accept('IAM5[Resource::<AWSCDKWebFunctionAssetBucket5B596593.Arn>/web-function/*]', copy);
    accept('IAM5[Action::s3:Abort*]', copy);
    accept('IAM5[Action::s3:DeleteObject*]', copy);
  }
}
