/** How far random searches go: `THOROUGH=10 npm run test:integration` searches ten times as long as a plain run. */
const FACTOR = Number(process.env.THOROUGH ?? 1);

/** So many rounds, times `THOROUGH`; at least one. */
export const rounds = (plain: number): number => Math.max(1, Math.round(plain * FACTOR));
