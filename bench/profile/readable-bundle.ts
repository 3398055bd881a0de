/** Finds which source a line of an unminified bundle came from: esbuild writes its path above each module. */

/** The path of a module's head line, such as `// lambdas/core/money.ts`; anything else is no head. */
const HEAD = /^ *\/\/ ((?:lambdas|bench|node_modules)\/\S+)$/;

/** Returns the source of a line, counted from 0; `bundle` for lines before the first module. */
export function sourceMapOf(bundle: string): (line: number) => string {
  let source = 'bundle';
  const sources = bundle.split('\n').map((line) => {
    source = HEAD.exec(line)?.[1] ?? source;
    return source;
  });
  return (line) => sources[line] ?? 'bundle';
}
