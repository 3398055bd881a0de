/** The recipients of critical alarms, as SNS knows them. */
import { ListSubscriptionsByTopicCommand, SNSClient, type Subscription } from '@aws-sdk/client-sns';
import { alarmTopicName } from '../../lib/config/stage-names.ts';
import type { AwsCaller } from '../aws-account.ts';
import { Names } from '../policies/scope.ts';

/** The ARN of a subscription whose owner has not followed the link of AWS's mail (Amazon SNS API reference, Subscribe). */
const PENDING = 'PendingConfirmation';

/** The warning before a deployment without `alarmEmail`: the settings do not know recipients that subscribed by themselves. */
export const NO_ALARM_EMAIL =
  'warning: the settings have no alarmEmail, so that a critical alarm reaches nobody who does not subscribe to the topic';

/** Returns who is notified, a line each, and what is left to do. */
export function recipientLines(topic: string, subscriptions: readonly Subscription[]): readonly string[] {
  if (subscriptions.length === 0)
    return [
      `warning: nobody receives critical alarms: set alarmEmail, or subscribe to the SNS topic ${topic}`,
    ];
  return subscriptions.map(({ Endpoint: endpoint = 'a recipient', SubscriptionArn: arn }) =>
    arn === PENDING
      ? `warning: ${endpoint} receives nothing yet: follow the link in the mail that AWS has sent there`
      : `${endpoint} receives critical alarms`,
  );
}

/** Reads the recipients. A deployment that may not read them is as good as any other, so that this throws nothing. */
export async function readRecipients(caller: AwsCaller, stage: string): Promise<readonly string[]> {
  const client = new SNSClient({ region: caller.region });
  const topic = alarmTopicName(stage);
  const TopicArn = new Names({ ...caller, stage }).arn('sns', topic);
  try {
    // A page has a hundred.
    const { Subscriptions: subscriptions = [] } = await client.send(
      new ListSubscriptionsByTopicCommand({ TopicArn }),
    );
    return recipientLines(topic, subscriptions);
  } catch (failure) {
    return [`unknown: the recipients of ${topic} were not read: ${(failure as Error).name}`];
  } finally {
    client.destroy();
  }
}
