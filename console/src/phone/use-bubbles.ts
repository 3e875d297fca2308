import { useQuery } from '@tanstack/react-query';
import type { AnswerOf, Schema } from '../api/shapes.ts';
import { useApi, useOrganization } from '../api/use-api.ts';
import { type Bubble, bubbleOf, templateBubble } from './bubble.ts';

type Message = Schema<'Message'>;

/** Most templates that are read to draw messages; a message of a further one shows its name. */
const TEMPLATES_MAX = 500;

/** Returns a function that draws messages. Those of templates are filled with their parameters. */
export function useBubbles(messages: readonly Message[]): (message: Message) => Bubble | undefined {
  const api = useApi();
  const organization = useOrganization();
  const names = [...new Set(messages.map(({ template_name }) => template_name).filter((name) => name !== undefined))];
  // One name is read alone: its template may be beyond the first page.
  const name = names.length === 1 ? names[0] : undefined;
  const { data } = useQuery({
    queryKey: ['templates-of-messages', organization, name],
    enabled: names.length > 0 && organization !== undefined,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      api.get<AnswerOf<'listTemplates'>>('/v1/templates', { name, limit: TEMPLATES_MAX }, signal),
  });
  return (message) => {
    if (message.template_name === undefined) return bubbleOf(message.message_type, message.content);
    const { language } = message.content;
    const versions = (data?.data ?? []).filter((template) => template.name === message.template_name);
    const template = versions.find((version) => version.language === language) ?? versions[0];
    if (template === undefined) return { header: message.template_name, buttons: [], lines: [] };
    return templateBubble(template.components, message.components ?? []);
  };
}
