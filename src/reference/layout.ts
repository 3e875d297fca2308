import { createMarkdownRenderer, escapeHtml } from './markdown.ts';
import type { Page, Section } from './page.ts';

/** Returns the address of an asset, with a version that changes with its contents. */
type AssetAddress = (name: string) => string;

interface LayoutOptions {
  /** Path that precedes `/docs`; empty without a proxy that adds one. */
  base: string;
  asset: AssetAddress;
  pages: readonly Page[];
}

/** Renders a page as HTML. It has no inline script or style, so that the content security policy can forbid both. */
export function renderPage(page: Page, { base, asset, pages }: LayoutOptions): string {
  const render = createMarkdownRenderer(base);
  const title = page.path === 'index' ? page.title : `${page.title} · Fairway`;
  return `<!doctype html>
<html lang="en" data-base="${escapeHtml(base)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.summary)}">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${asset('style.css')}">
<link rel="alternate" type="text/markdown" href="${base}/docs/${page.path}.md">
<script src="${asset('theme.js')}"></script>
<script type="module" src="${asset('site.js')}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${base}/docs">Fairway</a>
<div class="search" role="search" data-minisearch="${asset('minisearch.js')}" data-index="${base}/docs/search.json">
<input type="search" id="search" placeholder="Search: operations, errors, events, guide" aria-label="Search" autocomplete="off"
 role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</div>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button>
</header>
<div class="columns">
<nav aria-label="Pages"><details class="menu"><summary>Contents</summary>${navigation(page, pages, base)}</details></nav>
<main id="content" tabindex="-1">
<h1>${escapeHtml(page.title)}</h1>
${render(page.intro)}
${page.sections.map((section) => renderSection(section, render)).join('\n')}
<footer><a href="${base}/docs/${page.path}.md">This page as Markdown</a> · <a href="${base}/openapi.json">OpenAPI file</a></footer>
</main>
</div>
</body>
</html>
`;
}

function renderSection(section: Section, render: (markdown: string, anchorPrefix?: string) => string): string {
  const { id, title, markdown, aside, method } = section;
  const badge = method === undefined ? '' : `<span class="method ${method.toLowerCase()}">${method}</span> `;
  const heading = `<h2 id="${escapeHtml(id)}">${badge}<a href="#${escapeHtml(id)}">${escapeHtml(title)}</a></h2>`;
  // Headings of operations repeat on a page, so their anchors begin with the operation's.
  const text = render(markdown, aside === undefined ? '' : `${id}-`);
  if (aside === undefined) return `<section>${heading}${text}</section>`;
  const side = aside.html === '' ? render(aside.markdown) : aside.html;
  return `<section class="wide">${heading}<div class="text">${text}</div><div class="aside">${side}</div></section>`;
}

function navigation(current: Page, pages: readonly Page[], base: string): string {
  return [...Map.groupBy(pages, ({ group }) => group)]
    .map(([group, members]) => {
      const items = members.map((page) => {
        const isCurrent = page.path === current.path;
        const link = `<a href="${base}/docs/${page.path}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a>`;
        return `<li>${link}${isCurrent ? sectionList(page) : ''}</li>`;
      });
      return `<p class="group">${group}</p><ul>${items.join('')}</ul>`;
    })
    .join('');
}

function sectionList({ sections }: Page): string {
  const items = sections.map(
    ({ id, title, method }) =>
      `<li><a href="#${escapeHtml(id)}">${method === undefined ? '' : `<span class="method ${method.toLowerCase()}">${method}</span> `}${breakable(title)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

/** Returns a title as HTML that may be broken after an underscore: codes are longer than the navigation is wide. */
function breakable(title: string): string {
  return escapeHtml(title).replaceAll('_', '_<wbr>');
}
