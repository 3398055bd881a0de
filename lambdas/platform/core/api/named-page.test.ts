import { expect, it } from '@jest/globals';
import { namedPage } from './named-page.ts';

it('a page shows the name of its operator as text, whatever its characters mean elsewhere', () => {
  expect(namedPage('<title>{NAME}</title><b title="{NAME}">', 'A<b> & "$&"')).toBe(
    '<title>A&#60;b&#62; &#38; &#34;$&#38;&#34;</title><b title="A&#60;b&#62; &#38; &#34;$&#38;&#34;">',
  );
});
