/** The rules of the source tree: one file, because reading the tree takes longer than judging it. */
import './architecture/assertions.ts';
import './architecture/comment-names.ts';
import './architecture/dependencies.ts';
import './architecture/enumerations.ts';
import './architecture/events.ts';
import './architecture/folders.ts';
import './architecture/grants.ts';
import './architecture/language.ts';
import './architecture/mentions.ts';
import './architecture/modules.ts';
import './architecture/money.ts';
import './architecture/purity.ts';
import './architecture/context-rules.ts';
