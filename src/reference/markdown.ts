import { Marked } from 'marked';
import { anchorOf } from './page.ts';

/** Returns `text` for use in HTML, in attributes as well. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Returns a function that renders Markdown as HTML. HTML inside the Markdown is shown as text.
 * @param base path that precedes `/docs`, behind a proxy that serves the gateway below a path
 */
export function createMarkdownRenderer(base: string): (markdown: string, anchorPrefix?: string) => string {
  let prefix = '';
  const marked = new Marked({
    renderer: {
      html: ({ text }) => escapeHtml(text),
      heading({ tokens, depth, text }) {
        const id = escapeHtml(prefix + anchorOf(text));
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = href.startsWith('/') ? base + href : href;
        return `<a href="${escapeHtml(target)}">${this.parser.parseInline(tokens)}</a>`;
      },
      code: ({ text, lang }) => codeBlock(text, lang),
    },
    // A table or a line of code may be wider than a phone. It scrolls by itself, and a keyboard has to reach it.
    hooks: {
      postprocess: (html) =>
        html
          .replaceAll('<table>', '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>')
          .replaceAll('</table>', '</table></div>'),
    },
  });
  return (markdown, anchorPrefix = '') => {
    prefix = anchorPrefix;
    return marked.parse(markdown, { async: false });
  };
}

/** Returns a block of code as HTML. */
export function codeBlock(code: string, language = 'text'): string {
  return `<pre tabindex="0" data-language="${escapeHtml(language)}"><code>${escapeHtml(code)}</code></pre>\n`;
}
