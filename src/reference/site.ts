import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { renderPage } from './layout.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { markdownOf, type Page } from './page.ts';
import { errorPage } from './pages/error-page.ts';
import { readGuidePages } from './pages/guide-pages.ts';
import { operationPages } from './pages/operation-pages.ts';
import { startPage } from './pages/start-page.ts';
import { webhookPage } from './pages/webhook-page.ts';
import { ServedFile } from './served-file.ts';

const TYPES = {
  html: 'text/html',
  md: 'text/markdown',
  json: 'application/json',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  txt: 'text/plain',
};

const ASSETS = ['style.css', 'site.js', 'theme.js', 'icon.svg'];

/** The reference as files. Each is rendered at its first request and kept. */
export class Site {
  readonly #pages: Page[];
  readonly #assets: ReadonlyMap<string, ServedFile>;
  readonly #files = new Map<string, ServedFile>();
  readonly #base: string;

  /**
   * @param document the OpenAPI file
   * @param base path that precedes `/docs`, behind a proxy that serves the gateway below a path
   */
  constructor(document: OpenApiDocument, base: string) {
    this.#base = base;
    const guides = [...readGuidePages()];
    guides.splice(2, 0, errorPage(document), webhookPage(document));
    const pages = [...guides, ...operationPages(document)];
    this.#pages = [startPage(document, pages), ...pages];
    this.#assets = readAssets();
  }

  /** Returns a file below `/docs/`; undefined if there is none. */
  find(name: string): ServedFile | undefined {
    const known = this.#files.get(name) ?? this.#assets.get(name);
    if (known !== undefined) return known;
    const text = this.#textOf(name);
    if (text === undefined) return undefined;
    const extension = /\.(\w+)$/.exec(name)?.[1] ?? 'html';
    const file = new ServedFile(Buffer.from(text), TYPES[extension as keyof typeof TYPES] ?? TYPES.txt);
    this.#files.set(name, file);
    return file;
  }

  #textOf(name: string): string | undefined {
    if (name === 'search.json') return JSON.stringify(this.#searchEntries());
    if (name === 'llms.txt') return this.#llmsText();
    const page = this.#pages.find(({ path }) => path === name.replace(/\.md$/, ''));
    if (page === undefined) return undefined;
    if (name.endsWith('.md')) return markdownOf(page);
    return renderPage(page, { base: this.#base, pages: this.#pages, asset: (asset) => this.#addressOf(asset) });
  }

  #addressOf(asset: string): string {
    return `${this.#base}/docs/assets/${asset}?v=${this.#assets.get(`assets/${asset}`)?.tag}`;
  }

  /** Returns an entry for each page and section. */
  #searchEntries(): { id: string; title: string; page: string; text: string }[] {
    return this.#pages.flatMap((page) => [
      { id: page.path, title: page.title, page: page.group, text: plain(page.intro) },
      ...page.sections.map(({ id, title, markdown, method }) => ({
        id: `${page.path}#${id}`,
        title: method === undefined ? title : `${method} ${title}`,
        page: page.title,
        text: plain(`${markdown} ${method === undefined ? '' : id}`),
      })),
    ]);
  }

  /** Returns the index for language models, in the form of llmstxt.org. */
  #llmsText(): string {
    const groups = [...Map.groupBy(this.#pages, ({ group }) => group)].map(([group, pages]) => {
      const links = pages.map(({ title, path, summary }) => `- [${title}](${this.#base}/docs/${path}.md): ${summary}`);
      return `## ${group}\n\n${links.join('\n')}`;
    });
    const [start] = this.#pages;
    return `# Fairway\n\n> ${start?.summary}\n\n${groups.join('\n\n')}\n\n## Optional\n\n- [OpenAPI file](${this.#base}/openapi.json)\n`;
  }
}

function readAssets(): Map<string, ServedFile> {
  const require = createRequire(import.meta.url);
  const minisearch = join(require.resolve('minisearch'), '../../es/index.js');
  const paths = [
    ...ASSETS.map((name) => [name, join(import.meta.dirname, 'assets', name)]),
    ['minisearch.js', minisearch],
  ];
  return new Map(
    paths.map(([name = '', path = '']) => {
      const type = TYPES[/\.(\w+)$/.exec(name)?.[1] as keyof typeof TYPES];
      const contents = readFileSync(path)
        .toString()
        .replace(/\n\/\/# sourceMappingURL=.*/, '');
      return [`assets/${name}`, new ServedFile(Buffer.from(contents), type)];
    }),
  );
}

/** Returns the words of a Markdown text, for the search. */
function plain(markdown: string): string {
  return markdown.replace(/[`*|#>[\]]|-{3,}|\]\([^)]*\)/g, ' ').replace(/\s+/g, ' ');
}
