/** The check of earnings of a service without a market. */
import type { EarningsCheck } from './ports.ts';

export const NO_EARNINGS = {
  readEarnings: async () => ({ totals: () => ({}), differences: async () => new Map() }),
} satisfies EarningsCheck;
