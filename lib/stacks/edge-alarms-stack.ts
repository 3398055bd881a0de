/**
 * The alarms of CloudFront, in the region of its metrics: CloudWatch's alarms read metrics of their own region, and notify
 * topics there. So the recipients confirm a second mail.
 */
import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Config } from '../config/config.ts';
import { EDGE_REGION, watchEdge } from '../observability/edge-alarms.ts';
import { createTopics, topicsByName } from '../observability/notifications.ts';
import type { IngressStack } from './ingress-stack.ts';

export interface EdgeAlarmsStackProps extends StackProps {
  readonly config: Config;
  readonly ingress: IngressStack;
}

export class EdgeAlarmsStack extends Stack {
  constructor(scope: Construct, id: string, { config, ingress, ...props }: EdgeAlarmsStackProps) {
    super(scope, id, { ...props, env: { region: EDGE_REGION }, crossRegionReferences: true });
    // The operations stack has the topics of its region.
    const { region } = config;
    const topics = region === EDGE_REGION ? topicsByName(this, config) : createTopics(this, config, false);
    const edge = { distribution: ingress.distributionId, certificateArn: config.edgeDomain?.certificateArn };
    watchEdge({ scope: this, config, region, topics }, edge);
  }
}
