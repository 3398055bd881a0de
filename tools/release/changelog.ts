/** The sections of CHANGELOG.md, one for each release. */

/** Every section says how to get to the release, and how to leave it. */
const REQUIRED = ['Upgrade', 'Go back'] as const;

/** Returns the date of a release's section; throws an error that says what the section lacks. */
export function releaseDateOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (date)"`);
  const [, date] = /^\S+ \((\d{4}-\d{2}-\d{2})\)\n/.exec(section) ?? [];
  if (date === undefined) throw new Error(`the section of ${version} in CHANGELOG.md has no date`);
  for (const heading of REQUIRED)
    if (!new RegExp(`^### ${heading}\\n+[^#\\s]`, 'm').test(section))
      throw new Error(`the section of ${version} in CHANGELOG.md has no text under "### ${heading}"`);
  return date;
}
