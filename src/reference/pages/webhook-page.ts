import { exampleOf, type OpenApiDocument } from '../openapi-document.ts';
import type { Page } from '../page.ts';
import { fieldTable } from '../schema-fields.ts';

/** Returns the catalogue of events that the gateway posts to endpoints and lists at `GET /v1/events`. */
export function webhookPage(document: OpenApiDocument): Page {
  const sections = Object.entries(document.webhooks).map(([type, { post }]) => {
    const media = post.requestBody?.content['application/json'];
    const markdown = [`**${post.summary}.**`, post.description, fieldTable(document, media?.schema)];
    const example = JSON.stringify(exampleOf(media), null, 2);
    return {
      id: type,
      title: type,
      markdown: markdown.filter(Boolean).join('\n\n'),
      aside: { markdown: `\`\`\`json\n${example}\n\`\`\``, html: '' },
    };
  });
  return {
    path: 'events',
    title: 'Webhook events',
    summary: 'Every event type: its time, its fields and an example.',
    group: 'Guides',
    intro:
      'An endpoint in the format `standard` receives these bodies by `POST`, signed as the [guide](/docs/guide#webhooks) describes. ' +
      '`GET /v1/events` lists the same events with their `id`. An endpoint in the format `cloud_api` receives the payloads of the ' +
      'platform instead. New fields may be added to `data` at any time.',
    sections,
  };
}
