/** The CDK app: `node bin/app.ts`, run by the CDK CLI (see cdk.json) and by the local runtime. */
import { synthesizeApp } from '../lib/app.ts';

await synthesizeApp({ configFile: process.env.CONFIG, outdir: process.env.CDK_OUTDIR ?? 'cdk.out' });
