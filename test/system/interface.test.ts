/**
 * The interface as a client reads it: every resource, field, default, bound, header, envelope and list that the public
 * description states, as tables of requests in plain words. A head comment names the tests that show the rest of an area.
 * With `COMPUTE=host`, models are served by the shared host.
 */
import './interface/chat.ts';
import './interface/messages.ts';
import './interface/media.ts';
import './interface/catalogs.ts';
import './interface/access.ts';
import './interface/limits.ts';
import './interface/events.ts';
import './interface/mistakes.ts';
