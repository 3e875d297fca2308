import { escapeHtml } from './markdown.ts';
import { exampleOf, type MediaType, type Parameter, type PlacedOperation } from './openapi-document.ts';

/** Returns the form that sends a request of this operation from the page. `assets/site.js` submits it to the page's own origin. */
export function tryForm(
  { operationId, method, path, parameters = [], requestBody }: PlacedOperation,
  credential: 'FAIRWAY_KEY' | 'FAIRWAY_ADMIN_TOKEN' | null,
): string {
  const id = (name: string) => `try-${operationId}-${name}`;
  const fields = [
    credential &&
      field(
        id('credential'),
        credential === 'FAIRWAY_KEY' ? 'API key' : 'Admin token',
        (attributes) =>
          `<input ${attributes} type="password" data-credential="${credential}" autocomplete="off" required>`,
      ),
    ...parameters.map((parameter) => parameterField(id(parameter.name), parameter)),
    ...bodyFields(id, requestBody?.content),
  ];
  return (
    `<details class="try"><summary>Try it</summary><form data-method="${method}" data-path="${escapeHtml(path)}">` +
    `${fields.filter(Boolean).join('')}<button type="submit" class="send">Send ${method} request</button>` +
    '<output aria-live="polite"></output></form></details>'
  );
}

function field(id: string, label: string, control: (attributes: string) => string): string {
  return `<label for="${id}">${label}</label>${control(`id="${id}"`)}`;
}

function parameterField(id: string, { name, in: place, required, schema }: Parameter): string {
  const label = `${escapeHtml(name)}${required === true ? '' : ' <small>optional</small>'}`;
  const choices = schema.enum?.map(String) ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined);
  return field(id, label, (attributes) => {
    const all = `${attributes} data-${place}="${escapeHtml(name)}"${required === true ? ' required' : ''}`;
    if (choices === undefined) return `<input ${all} autocomplete="off" spellcheck="false">`;
    const options = ['', ...choices].map((choice) => `<option>${escapeHtml(choice)}</option>`);
    return `<select ${all}>${options.join('')}</select>`;
  });
}

function bodyFields(
  id: (name: string) => string,
  content: NonNullable<PlacedOperation['requestBody']>['content'] = {},
) {
  const json = content['application/json'];
  if (json !== undefined) {
    const text = escapeHtml(JSON.stringify(exampleOf(json) ?? {}, null, 2));
    return [
      exampleChoice(id, json),
      field(
        id('body'),
        'Body',
        (attributes) =>
          `<textarea ${attributes} data-body rows="${Math.min(16, text.split('\n').length + 1)}" spellcheck="false">${text}</textarea>`,
      ),
    ];
  }
  const form = exampleOf(content['multipart/form-data']) as Record<string, string> | undefined;
  return Object.keys(form ?? {}).map((name) =>
    field(
      id(`form-${name}`),
      escapeHtml(name),
      (attributes) => `<input ${attributes} data-form="${escapeHtml(name)}"${name === 'file' ? ' type="file"' : ''}>`,
    ),
  );
}

/** Returns a list to fill the body with another example; empty if there is only one. */
function exampleChoice(id: (name: string) => string, { examples = {} }: MediaType): string {
  const values = Object.values(examples).map(({ value }) => value as { type?: string });
  if (values.length < 2) return '';
  const options = values.map((value, place) => {
    const text = escapeHtml(JSON.stringify(value, null, 2));
    return `<option value="${text}">${escapeHtml(value.type ?? `${place + 1}`)}</option>`;
  });
  return field(
    id('example'),
    'Example',
    (attributes) => `<select ${attributes} data-fill>${options.join('')}</select>`,
  );
}
