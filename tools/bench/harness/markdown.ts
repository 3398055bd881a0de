/** Tables in Markdown. */

const markdownRow = (cells: readonly string[]): string =>
  `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |');

export const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [markdownRow(head), `|${'---|'.repeat(head.length)}`, ...rows.map(markdownRow)].join('\n');
