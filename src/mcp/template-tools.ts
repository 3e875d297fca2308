import { Type } from 'typebox';
import { CURSOR, limitOf, NULLABLE_TEXT, open, pageOf, strict } from './arguments.ts';
import { fillTemplate, type Template } from './fill-template.ts';
import { more } from './message-tools.ts';
import { defineTool, READS_OWN } from './tool.ts';

export interface TemplatePage {
  data: Template[];
  paging?: { cursors: { after: string }; next?: string };
}

const BODY_CHARS = 300;

const parameters = (description: string) =>
  Type.Optional(
    Type.Record(Type.String({ pattern: '^[A-Za-z0-9_]{1,60}$' }), Type.String({ minLength: 1, maxLength: 2000 }), {
      maxProperties: 50,
      additionalProperties: false,
      description,
    }),
  );

/** Arguments with the values of a template's variables. */
export const VALUES = {
  header_parameters: parameters('Values of the header\'s variables by name or number, such as `{"1": "A-1042"}`.'),
  body_parameters: parameters('Values of the body\'s variables by name or number, such as `{"1": "A-1042"}`.'),
  button_parameters: parameters(
    'Values of buttons by place from 0: the variable part of a URL, a one-time or coupon code, the payload of a quick reply.',
  ),
  header_media: Type.Optional(
    strict({
      id: Type.Optional(
        Type.String({ pattern: '^[0-9]{1,32}$', description: 'Id of an upload under the same number.' }),
      ),
      link: Type.Optional(Type.String({ pattern: '^https://[^\\s]{1,2000}$' })),
    }),
  ),
};

export const PREVIEW = open({
  header: NULLABLE_TEXT,
  body: NULLABLE_TEXT,
  footer: NULLABLE_TEXT,
  buttons: Type.Array(Type.String()),
});

const TEMPLATE_ID = Type.String({
  pattern: '^[0-9]{1,32}$',
  description: 'Id of the template, from `list_templates`.',
});

const listTemplates = defineTool({
  name: 'list_templates',
  title: 'List templates',
  description: 'Lists the message templates of the organization, newest first, with the beginning of their bodies.',
  input: strict({
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'The exact name.' })),
    content: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A part of the contents.' })),
    status: Type.Optional(
      Type.String({ pattern: '^[A-Za-z_]{1,40}$', description: 'Such as `APPROVED` or `REJECTED`.' }),
    ),
    language: Type.Optional(Type.String({ pattern: '^[A-Za-z_]{2,10}$', description: 'Such as `en_US`.' })),
    category: Type.Optional(Type.Enum(['MARKETING', 'UTILITY', 'AUTHENTICATION'])),
    waba_id: Type.Optional(Type.String({ pattern: '^[0-9]{1,32}$', description: 'A business account.' })),
    limit: limitOf(50, 20),
    cursor: CURSOR,
  }),
  output: pageOf(open({ id: Type.String(), waba_id: Type.String(), name: Type.String(), status: Type.String() })),
  hints: READS_OWN,
  async run({ gateway }, { cursor, limit = 20, ...filter }) {
    const page = await gateway.get<TemplatePage>('/v1/templates', { ...filter, limit, after: cursor });
    const data = page.data.map(({ components, ...template }) => ({
      id: template.id,
      waba_id: template.waba_id,
      name: template.name,
      language: template.language,
      category: template.category,
      status: template.status,
      parameter_format: template.parameter_format,
      body: components.find(({ type }) => type === 'BODY')?.text?.slice(0, BODY_CHARS) ?? null,
    }));
    const next = page.paging?.next === undefined ? null : page.paging.cursors.after;
    return { summary: `${data.length} templates.${more(next)}`, data: { data, next } };
  },
});

const getTemplate = defineTool({
  name: 'get_template',
  title: 'Read a template',
  description:
    'Shows one language version of a template with all components, its review status and the reason of a rejection.',
  input: strict({ id: TEMPLATE_ID }),
  output: open({ id: Type.String(), name: Type.String(), status: Type.String(), components: Type.Array(open({})) }),
  hints: READS_OWN,
  async run({ gateway }, { id }) {
    const template = await gateway.get<Record<string, unknown>>(`/v1/templates/${id}`);
    return { summary: 'The template as the gateway has it.', data: template };
  },
});

const previewTemplate = defineTool({
  name: 'preview_template',
  title: 'Preview a template',
  description:
    'Shows the texts of a template with values in place of its variables, and values that are missing or have no variable. Sends nothing.',
  input: strict({ id: TEMPLATE_ID, ...VALUES }),
  output: open({ preview: PREVIEW, components: Type.Array(open({})), problems: Type.Array(Type.String()) }),
  hints: READS_OWN,
  async run({ gateway }, { id, ...values }) {
    const template = await gateway.get<Template>(`/v1/templates/${id}`);
    const { preview, components, problems } = fillTemplate(template, values);
    const verdict =
      problems.length === 0 ? 'All variables have values.' : `${problems.length} problems with the values.`;
    return { summary: verdict, data: { preview, components, problems } };
  },
});

export const TEMPLATE_TOOLS = [listTemplates, getTemplate, previewTemplate];
