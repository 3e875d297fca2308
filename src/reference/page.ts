/** A part of a page with an anchor of its own; one entry of the search. */
export interface Section {
  /** Anchor, unique within the page. */
  id: string;
  title: string;
  /** Text without its heading. Links to other pages begin with `/docs/`. */
  markdown: string;
  /** Column beside the text: examples, and the form to try an operation. */
  aside?: { markdown: string; html: string };
  /** HTTP method, for operations. */
  method?: string;
}

/** A page of the reference. Its HTML and its Markdown twin are both rendered from this. */
export interface Page {
  /** Path below `/docs/`, without an extension. */
  path: string;
  title: string;
  /** One line for the start page, the search and `/llms.txt`. */
  summary: string;
  group: 'Guides' | 'API';
  /** Text between the title and the first section. */
  intro: string;
  sections: Section[];
}

/** Returns the anchor that GitHub gives to a heading, so that links work there and here. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** Returns a page as Markdown; its links lead to the Markdown of other pages. */
export function markdownOf(page: Page): string {
  const sections = page.sections.map(({ title, markdown, aside }) =>
    [`## ${title}`, markdown, aside?.markdown].filter(Boolean).join('\n\n'),
  );
  const text = [`# ${page.title}`, page.intro, ...sections].filter(Boolean).join('\n\n');
  return `${text.replace(/\]\((\/docs\/[^)#]+)/g, ']($1.md')}\n`;
}
