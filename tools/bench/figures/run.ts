/** `npm run figures`: writes every measured value in the documentation, and lists the results that are stale. */
import { staleResults, writePages } from './pages.ts';

writePages();
for (const line of await staleResults()) console.log(`Stale: ${line}`);
