/** What no route answers. */
export { unknownRoute } from '../../core/unknown-route.ts';
