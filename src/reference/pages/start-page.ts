import type { OpenApiDocument } from '../openapi-document.ts';
import type { Page } from '../page.ts';

/** Returns the page at `/docs`: the first request, and links to all other pages. */
export function startPage({ info }: OpenApiDocument, pages: readonly Page[]): Page {
  const list = (group: Page['group']) =>
    pages
      .filter((page) => page.group === group)
      .map(({ title, path, summary }) => `- [${title}](/docs/${path}): ${summary}`)
      .join('\n');
  return {
    path: 'index',
    title: 'Fairway',
    summary:
      'Business messaging gateway in front of the WhatsApp Business Platform: API reference, guide, errors and events.',
    group: 'Guides',
    intro: info.description,
    sections: [
      {
        id: 'first-message',
        title: 'Your first message',
        markdown:
          'Every call carries an API key as `Authorization: Bearer fw_live_…`. `npm start` prints the key, the number and the recipient of ' +
          'its demo. [Send a message](/docs/api/messages#sendMessage) with "Try it", then read its status with ' +
          '[getMessage](/docs/api/messages#getMessage). Programs of the Cloud API need another base URL and key only: see the ' +
          '[guide](/docs/guide#move-an-integration).\n\n' +
          'The examples read the base URL from `FAIRWAY_URL` and the key from `FAIRWAY_KEY`:\n\n' +
          '```sh\nexport FAIRWAY_URL=http://127.0.0.1:8080 FAIRWAY_KEY=fw_live_…\n```',
      },
      { id: 'guides', title: 'Guides', markdown: list('Guides') },
      { id: 'api', title: 'API', markdown: list('API') },
      {
        id: 'for-programs',
        title: 'For programs',
        markdown:
          'Each page is available as Markdown under its path with `.md`, `/llms.txt` lists them, and `/openapi.json` describes every ' +
          'operation for generators.',
      },
    ],
  };
}
