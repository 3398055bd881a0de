/** The request and the response of `/api/v1/alerts`. */
import * as z from 'zod';
import { cap } from '../../../access/core/keys/policy.ts';
import { type Body, usd } from '../../../platform/core/api/response-schema.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { AlertThresholds } from './ports.ts';

const days = z.int().min(1).max(365);

/** Replaces both thresholds: one that is null or absent is off. */
export const alertsRequest = z.strictObject({
  balance_low_usd: cap.nullish().describe('An event once the remaining credit is below so many USD.'),
  balance_low_days: days
    .nullish()
    .describe('An event once it is below the cost of so many days, at the pace of the last 7 UTC days.'),
});

export const alertsSchema = z.object({
  object: z.literal('alerts'),
  balance_low_usd: usd.nullable(),
  balance_low_days: days.nullable(),
  low: z.boolean().describe('Whether the remaining credit is below a threshold.'),
});

export const alertsBody = (alerts: AlertThresholds, low: boolean): Body<typeof alertsSchema> => ({
  object: 'alerts',
  balance_low_usd: alerts.lowUsd === undefined ? null : usdJson(alerts.lowUsd),
  balance_low_days: alerts.lowDays ?? null,
  low,
});
