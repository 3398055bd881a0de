/** The AWS services that routes are signed for, and which of them an address belongs to, in which region. */

/**
 * The AWS services, by the names in their signatures.
 * - `bedrock`: `bedrock-runtime.{region}.amazonaws.com` (Amazon Bedrock user guide, Endpoints supported by Amazon
 * Bedrock).
 * - `bedrock-mantle`: `bedrock-mantle.{region}.api.aws`, a separate service (service authorization reference, Amazon
 * Bedrock Powered by AWS Mantle; Anthropic's TypeScript SDK, `AnthropicBedrockMantle`).
 * - `aws-external-anthropic`: Claude Platform on AWS, `aws-external-anthropic.{region}.api.aws` (its user guide, Making
 * requests).
 *
 * Routes of the protocol `polly` call `polly.{region}.amazonaws.com` (AWS General Reference, Amazon Polly endpoints).
 */
export const AWS_SERVICES = ['bedrock', 'bedrock-mantle', 'aws-external-anthropic'] as const;
export type AwsService = (typeof AWS_SERVICES)[number] | 'polly';

/** The service and region of a signature. Without a region, the function's region applies. */
export interface AwsAddress {
  readonly service: AwsService;
  readonly region?: string | undefined;
}

/** The supported AWS hostnames, as text for an error message. */
export const KNOWN_AWS_HOSTS =
  'bedrock-runtime.{region}.amazonaws.com, bedrock-mantle.{region}.api.aws and aws-external-anthropic.{region}.api.aws';

/** The first name of a service's hosts, those of VPC endpoints, of FIPS endpoints and of other partitions included (AWS General Reference). */
const SERVICE_HOSTNAME =
  /(?:^|\.)(bedrock-runtime|bedrock-mantle|aws-external-anthropic|polly)(?:-fips)?\.([a-z0-9-]+)\.(?:[a-z0-9-]+\.)*(?:amazonaws\.com(?:\.cn)?|amazonaws\.eu|api\.aws)$/;

/** Returns the service and region that a hostname identifies, or undefined for an unknown host. */
export function awsAddressOf(url: string): Required<AwsAddress> | undefined {
  const [, name, region] = SERVICE_HOSTNAME.exec(new URL(url).hostname) ?? [];
  if (name === undefined) return undefined;
  return { service: name === 'bedrock-runtime' ? 'bedrock' : (name as AwsService), region };
}

/** A route with the service and region that apply if its host does not identify them. */
interface SignedRoute {
  readonly base_url: string;
  readonly aws_service?: AwsService | undefined;
  readonly aws_region?: string | undefined;
}

/**
 * Returns the service and region that a route's requests are signed for. The host takes precedence over the route.
 * Undefined if neither specifies them.
 */
export function signedFor(route: SignedRoute): AwsAddress | undefined {
  const { base_url: url, aws_service: service, aws_region: region } = route;
  return awsAddressOf(url) ?? (service === undefined ? undefined : { service, region });
}
