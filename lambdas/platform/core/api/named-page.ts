/** The pages of the service, with the name that its operator has given it. */

/** Returns the page with the name at each `{NAME}`, whatever characters the name has. */
export const namedPage = (html: string, name: string): string =>
  html.replaceAll('{NAME}', () => name.replaceAll(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`));
