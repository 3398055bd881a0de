/** The kinds of findings of checkov that are accepted, each with its reason. A kind that is found no more is removed. */
export const ACCEPTED: Readonly<Record<string, string>> = {
  CKV_AWS_2:
    'The balancer has no public address. CloudFront reaches it by plain HTTP within the VPC, from its own interfaces.',
  CKV_AWS_18:
    'The bucket of the CDK for the code of a Web Function has no data of callers; functions log each signature for a build.',
  CKV_AWS_21:
    'The bucket of the CDK for the code of a Web Function has only code, which a deployment writes again.',
  CKV_AWS_26:
    'The topics have names of alarms, and are sealed by the key of the operator where the settings name one.',
  CKV_AWS_27: 'The queues are encrypted by the keys of SQS, which the check does not count.',
  CKV_AWS_45:
    'The names of exports in nested templates look like secrets; a test of each function shows that none is one.',
  CKV_AWS_59: 'The service itself verifies keys and sessions, and rejects a forged key without a read.',
  CKV_AWS_68:
    'The limit by address is the web ACL of the balancer and of the APIs, which are behind CloudFront.',
  CKV_AWS_73: 'Tracing is a setting, because it costs by the call.',
  CKV_AWS_86:
    'A path may have a key (`/credits/{api_key}`), which no log may have. The service logs each call itself.',
  CKV_AWS_91:
    'A path may have a key (`/credits/{api_key}`), which no log may have. The service logs each call itself.',
  CKV_AWS_103: 'The listener of the internal balancer takes plain HTTP, so it has no version of TLS.',
  CKV_AWS_115:
    'Reserved concurrency is a setting: a reservation takes it from the other functions of the account.',
  CKV_AWS_116:
    'No function that API Gateway or a queue calls has an asynchronous event to lose; queues have their own dead letters.',
  CKV_AWS_117: 'Functions call public addresses of AWS and of vendors only; a VPC would need a NAT gateway.',
  CKV_AWS_120: 'A response of this service may not be served to another caller.',
  CKV_AWS_149:
    'Secrets are encrypted by the key of Secrets Manager, or of the operator where the settings name one.',
  CKV_AWS_158:
    'Logs are encrypted by the key of CloudWatch Logs, or of the operator where the settings name one.',
  CKV_AWS_173: 'Variables have names of tables and secrets, and no secret.',
  CKV_AWS_174:
    'Without `edgeDomain` CloudFront serves its own name with its own certificate, for which it sets the version of TLS.',
  CKV_AWS_192: 'No part of the service runs Java.',
};

/** Findings that come and go with generated names. */
export const DEPENDENT_ON_NAMES: readonly string[] = ['CKV_AWS_45'];
