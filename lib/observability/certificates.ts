/** The alarm of a certificate that its issuer no longer renews. */
import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Watch } from './watch.ts';

/** AWS renews a certificate 60 days before its end (AWS Certificate Manager user guide, "Managed certificate renewal"). */
const MIN_DAYS = 30;

/** Returns the watch of a certificate; none if it is undefined. The metric comes once a day, and ends with the certificate. */
export function certificateWatch(arn: string | undefined, label: string): readonly Watch[] {
  if (arn === undefined) return [];
  const period = Duration.days(1);
  const days = new Metric({
    namespace: 'AWS/CertificateManager',
    metricName: 'DaysToExpiry',
    dimensionsMap: { CertificateArn: arn },
    statistic: 'Minimum',
    period,
  });
  const metric = new MathExpression({
    expression: `IF(days < ${MIN_DAYS}, 1, 0)`,
    usingMetrics: { days },
    label: `${label}: expires soon`,
    period,
  });
  return [{ subject: { name: arn, label }, metric, threshold: 1 }];
}
