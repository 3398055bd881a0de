/** What no route answers. */
export { unknownRoute } from '../../core/api/unknown-route.ts';
