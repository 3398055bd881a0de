/** Jest's resolver of modules. */
import type { ResolverOptions } from 'jest-resolve';

/** Resolves a module as jest does by default, and a package that exports only ES modules by its `import` condition. */
export default function resolve(path: string, options: ResolverOptions): string {
  try {
    return options.defaultResolver(path, options);
  } catch (failure) {
    try {
      return options.defaultResolver(path, { ...options, conditions: ['node', 'import', 'default'] });
    } catch {
      throw failure;
    }
  }
}
