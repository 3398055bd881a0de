/** Tests that need Linux: `/proc`, or each address of 127.0.0.0/8. Elsewhere they are skipped. */
import { it } from '@jest/globals';

export const onLinux = process.platform === 'linux' ? it : it.skip;
