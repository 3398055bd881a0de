/** Styles are bundled beside the page, and export nothing. */
declare module '*.css';
