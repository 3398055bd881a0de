import { describe, expect, it } from '@jest/globals';
import { recipientLines } from './recipients.ts';

describe('the recipients of critical alarms', () => {
  it('cause a warning if the list is empty', () => {
    expect(recipientLines('prod-alarms', [])).toEqual([
      expect.stringMatching(/^warning: nobody .* alarmEmail, .* prod-alarms$/),
    ]);
  });

  it('receive nothing until they have confirmed the mail of AWS', () => {
    expect(
      recipientLines('prod-alarms', [
        { Endpoint: 'new@example.com', SubscriptionArn: 'PendingConfirmation' },
        { Endpoint: 'old@example.com', SubscriptionArn: 'arn:aws:sns:us-east-1:123456789012:prod-alarms:1' },
      ]),
    ).toEqual([
      expect.stringMatching(/^warning: new@example.com receives nothing yet: .* mail/),
      'old@example.com receives critical alarms',
    ]);
  });
});
