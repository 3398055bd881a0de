import type { EarningsCheck } from '../../core/audit/ports.ts';

/** The check of a service without a market. */
export const NO_EARNINGS = {
  readEarnings: async () => ({ totals: () => ({}), differences: async () => new Map() }),
} satisfies EarningsCheck;
