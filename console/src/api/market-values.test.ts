import { expect, it } from '@jest/globals';
import { ARCHIVE_LIMITS } from '../../../lambdas/marketplace/core/builds/rejection.ts';
import {
  MIN_PAYOUT_CENTS,
  payoutAccountRequest,
} from '../../../lambdas/marketplace/core/payouts/payout-entry.ts';
import { MAX_BUILD_BYTES, MIN_PAYOUT_USD, PAYOUT_COUNTRIES } from './values.ts';

it('the console offers the same countries as the service', () => {
  expect([...PAYOUT_COUNTRIES].sort()).toEqual([...payoutAccountRequest.shape.country.options].sort());
});

it('the console has the same limits of a build and a payout as the service', () => {
  expect(MAX_BUILD_BYTES).toBe(ARCHIVE_LIMITS.fileBytes);
  expect(Number(MIN_PAYOUT_USD) * 100).toBe(MIN_PAYOUT_CENTS);
});
