/** The version of the product (SemVer), which `package.json` repeats. The interface has a version of its own. */
export const RELEASE = '1.3.0';

/** The output of the data stack with the version that deployed it last. */
export const RELEASE_OUTPUT = 'RELEASE';
