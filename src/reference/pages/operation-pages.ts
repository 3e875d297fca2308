import { type CodeSample, codeSamples, type SampleRequest } from '../code-samples.ts';
import { codeBlock, escapeHtml } from '../markdown.ts';
import {
  codesOf,
  exampleOf,
  listOperations,
  type OpenApiDocument,
  type PlacedOperation,
  tagPath,
} from '../openapi-document.ts';
import type { Page, Section } from '../page.ts';
import { fieldTable, markdownTable, typeName } from '../schema-fields.ts';
import { tryForm } from '../try-form.ts';

/** Operations that take an `Idempotency-Key`. */
const IDEMPOTENT = new Set(['sendMessage']);

/** Returns one page for each tag of the document, with its operations. */
export function operationPages(document: OpenApiDocument): Page[] {
  const operations = listOperations(document);
  return document.tags.map(({ name, description }) => ({
    path: tagPath(name),
    title: name,
    summary: description,
    group: 'API',
    intro: description,
    sections: withDeletesLast(operations.filter(({ tags }) => tags[0] === name)).map((operation) =>
      operationSection(document, operation),
    ),
  }));
}

/** Returns the operations in the order in which a reader needs them: an object is deleted last. */
function withDeletesLast(operations: readonly PlacedOperation[]): PlacedOperation[] {
  return operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
}

function operationSection(document: OpenApiDocument, operation: PlacedOperation): Section {
  const samples = codeSamples(sampleRequest(operation));
  const answer = exampleAnswer(operation);
  const markdown = [
    `\`${operation.method} ${operation.path}\` · ${ACCESS[credentialOf(operation) ?? 'none']}`,
    operation.description,
    parameterTable(document, operation),
    bodyText(document, operation),
    answerText(document, operation),
  ];
  return {
    id: operation.operationId,
    title: operation.summary,
    method: operation.method,
    markdown: markdown.filter(Boolean).join('\n\n'),
    aside: {
      markdown: [
        '### Example',
        ...samples.map(({ language, code }) => `\`\`\`${language}\n${code}\n\`\`\``),
        answer && `Answer ${answer.status}:\n\n\`\`\`json\n${answer.text}\n\`\`\``,
      ]
        .filter(Boolean)
        .join('\n\n'),
      html:
        sampleTabs(samples) +
        tryForm(operation, credentialOf(operation)) +
        (answer ? `<p class="label">Answer ${answer.status}</p>${codeBlock(answer.text, 'json')}` : ''),
    },
  };
}

const ACCESS = {
  FAIRWAY_KEY: 'needs an API key',
  FAIRWAY_ADMIN_TOKEN: "needs the operator's admin token",
  none: 'needs no key',
};

function credentialOf({ security }: PlacedOperation): SampleRequest['credential'] {
  const [scheme] = security.flatMap(Object.keys);
  return scheme === undefined ? null : scheme === 'adminToken' ? 'FAIRWAY_ADMIN_TOKEN' : 'FAIRWAY_KEY';
}

function sampleRequest(operation: PlacedOperation): SampleRequest {
  const { method, path, parameters = [], requestBody, operationId } = operation;
  const query = parameters.filter(({ in: place, required }) => place === 'query' && required === true);
  const search = query.map(({ name }) => `${name}={${name}}`).join('&');
  const form = exampleOf(requestBody?.content['multipart/form-data']) as Record<string, string> | undefined;
  const json = exampleOf(requestBody?.content['application/json']);
  return {
    method,
    path: search === '' ? path : `${path}?${search}`,
    credential: credentialOf(operation),
    ...(IDEMPOTENT.has(operationId) && { idempotencyKey: 'order-1042' }),
    ...(json !== undefined && { json }),
    ...(form !== undefined && { form: { ...form, file: form.filename ?? 'parcel.png' } }),
  };
}

function parameterTable(document: OpenApiDocument, { parameters = [] }: PlacedOperation): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => [
    `\`${name}\``,
    place,
    typeName(document, schema) +
      (schema.default === undefined ? '' : `, default \`${schema.default}\``) +
      (required === true ? ', required' : ''),
    description,
  ]);
  return `### Parameters\n\n${markdownTable(['Name', 'In', 'Type', 'Description'], rows)}`;
}

function bodyText(document: OpenApiDocument, { requestBody }: PlacedOperation): string {
  if (requestBody === undefined) return '';
  const [type = '', media] = Object.entries(requestBody.content)[0] ?? [];
  const optional = requestBody.required === true ? '' : ' (optional)';
  return [`### Body${optional}`, `\`${type}\``, requestBody.description, fieldTable(document, media?.schema)]
    .filter(Boolean)
    .join('\n\n');
}

function answerText(document: OpenApiDocument, { responses }: PlacedOperation): string {
  const rows = Object.entries(responses).map(([status, response]) => [
    status,
    response.description,
    codesOf(response)
      .map((code) => `[${code}](/docs/errors#${code})`)
      .join(', '),
  ]);
  const bodies = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { content }]) => [status, fieldTable(document, content?.['application/json']?.schema)])
    .filter(([, table]) => table !== '')
    .map(([status, table]) => `#### Fields of ${status}\n\n${table}`);
  return ['### Answers', markdownTable(['Status', 'Meaning', 'Codes'], rows), ...bodies].join('\n\n');
}

function exampleAnswer({ responses }: PlacedOperation): { status: string; text: string } | undefined {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const [status, response] = answers.find(([code]) => code === '202') ?? answers[0] ?? [];
  const example = exampleOf(response?.content?.['application/json']);
  return status === undefined || example === undefined ? undefined : { status, text: JSON.stringify(example, null, 2) };
}

function sampleTabs(samples: readonly CodeSample[]): string {
  const buttons = samples.map(
    ({ language, title }) =>
      `<button type="button" data-choose="${language}" aria-pressed="${language === 'sh'}">${escapeHtml(title)}</button>`,
  );
  const blocks = samples.map(
    ({ language, code }) => `<div data-sample="${language}">${codeBlock(code, language)}</div>`,
  );
  return `<div class="samples"><div class="tabs" role="group" aria-label="Language">${buttons.join('')}</div>${blocks.join('')}</div>`;
}
