import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { anchorOf, type Page } from '../page.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The documents of the repository that the reference shows. */
const DOCUMENTS = [
  { path: 'guide', file: 'docs/guide.md', summary: 'Move an integration, send, receive events, templates, media.' },
  { path: 'rules', file: 'docs/api-rules.md', summary: 'The rules that every answer follows.' },
  {
    path: 'simulator',
    file: 'src/simulator/README.md',
    summary: 'The simulated platform of `npm start`, and its faults.',
  },
];

/** Reads the guide and the other documents as pages. */
export function readGuidePages(): Page[] {
  return DOCUMENTS.map(({ path, file, summary }) => {
    const text = withOwnLinks(readFileSync(join(ROOT, file), 'utf8'), file);
    const [head = '', ...parts] = text.split(/^## (?=.)/m);
    const [, title = path, intro = ''] = /^# (.*)\n([\s\S]*)$/.exec(head.trimEnd()) ?? [];
    const sections = parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      return { id: anchorOf(heading), title: heading, markdown: lines.join('\n').trim() };
    });
    return { path, title, summary, group: 'Guides', intro: intro.trim(), sections };
  });
}

/** Makes links between documents lead to their pages. A link to a document that is not served becomes plain text. */
function withOwnLinks(text: string, file: string): string {
  return text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, (link, label: string, target: string) => {
    if (/^(?:https?:|#)/.test(target)) return link;
    const [path = '', anchor] = target.split('#');
    const found = DOCUMENTS.find((document) => document.file === normalize(join(file, '..', path)));
    return found ? `[${label}](/docs/${found.path}${anchor === undefined ? '' : `#${anchor}`})` : label;
  });
}
