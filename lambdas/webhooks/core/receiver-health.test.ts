import { expect, it } from '@jest/globals';
import { ReceiverHealth } from './receiver-health.ts';
import type { Subscription } from './subscription.ts';

const subscription = { accountId: 'acc_1', id: 'wh_1', url: 'https://hook.test/' } as Subscription;

it('an attempt that disables its webhook ends after the notice is published, and fails if it cannot be published', async () => {
  const steps: string[] = [];
  let publishing: PromiseWithResolvers<void> = Promise.withResolvers();
  const health = new ReceiverHealth({
    store: {
      disable: async () => true,
      clearNotice: async () => void steps.push('cleared'),
    } as never,
    publish: () => publishing.promise,
    clock: () => 0,
    onDisabled: () => {},
    log: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const disabled = health.failed(subscription, 410).then((reason) => steps.push(`disabled: ${reason}`));
  await new Promise(setImmediate);
  expect(steps).toEqual([]);
  publishing.resolve();
  await disabled;
  expect(steps).toEqual(['cleared', 'disabled: gone']);
  publishing = Promise.withResolvers();
  publishing.reject(new Error('no bus'));
  await expect(health.failed(subscription, 410)).rejects.toThrow('no bus');
});
