/** Which packages may be in what is deployed, and which may run code when they are installed. */
import type { LockedPackage } from '../../lib/supply/lock-file.ts';

/**
 * Licences that ask for no more than that they be kept with the code. Whoever adds one has read it: nothing here obliges
 * who runs the service to publish anything.
 */
export const ALLOWED_LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
];

/** Whether an SPDX expression of `AND`, `OR` and parentheses can be met by allowed licences alone. */
export function isAllowedLicence(expression: string): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const anyOf = (): boolean => {
    let allowed = allOf();
    for (; tokens[at] === 'OR'; ) {
      at += 1;
      const next = allOf();
      allowed ||= next;
    }
    return allowed;
  };
  const allOf = (): boolean => {
    let allowed = one();
    for (; tokens[at] === 'AND'; ) {
      at += 1;
      const next = one();
      allowed &&= next;
    }
    return allowed;
  };
  const one = (): boolean => {
    const token = tokens[at++];
    if (token !== '(') return ALLOWED_LICENCES.includes(token ?? '');
    const allowed = anyOf();
    return tokens[at++] === ')' && allowed;
  };
  return anyOf() && at === tokens.length;
}

/** What speaks against packages in what is deployed, a line each. */
export const objectionsTo = (packages: readonly LockedPackage[]): readonly string[] =>
  packages.flatMap(({ path, licence, deprecated }) => [
    ...(isAllowedLicence(licence) ? [] : [`${path}: the licence "${licence}" is not on the list`]),
    ...(deprecated === undefined ? [] : [`${path}: deprecated: ${deprecated}`]),
  ]);

/** Packages that would run code at installation and that nobody has decided on, by the names in `allowScripts`. */
export const undecidedScripts = (
  packages: readonly LockedPackage[],
  decided: Readonly<Record<string, boolean>>,
): readonly string[] =>
  packages
    .filter(({ name, hasInstallScript }) => hasInstallScript && decided[name] === undefined)
    .map(({ path }) => path);
