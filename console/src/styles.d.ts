/** Styles are bundled next to the page, and export nothing. */
declare module '*.css';
