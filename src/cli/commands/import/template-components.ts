/** A template of the gateway, as far as an import reads it. */
export interface Template {
  name: string;
  language: string;
  status: string;
  category: string;
  components: readonly TemplateComponent[];
}

interface TemplateComponent {
  type: string;
  format?: string;
  text?: string;
  buttons?: readonly { type: string; url?: string }[];
}

/** One value that a send of the template needs. */
interface Slot {
  /** Column that holds the value. */
  column: string;
  /** Adds the value to the components of the send. */
  place: { type: 'header' | 'body' } | { type: 'button'; sub_type: 'url' | 'copy_code'; index: string };
  parameter: (value: string) => object;
}

/** Values that sends of a template need, or the reason that it cannot be imported. */
export type Needs = { slots: readonly Slot[] } | { problem: string };

const MEDIA = new Set(['IMAGE', 'VIDEO', 'DOCUMENT']);

/** Returns the values that a send of this template needs. */
export function needsOf(template: Template): Needs {
  const slots: Slot[] = [];
  for (const component of template.components) {
    const type = component.type.toUpperCase();
    if (type === 'HEADER') {
      const format = component.format?.toUpperCase() ?? 'TEXT';
      if (MEDIA.has(format)) slots.push(mediaSlot(format.toLowerCase()));
      else if (format === 'TEXT') slots.push(...textSlots('header', 'header.', component.text));
      else return { problem: `its header is of the format ${format}` };
    } else if (type === 'BODY') {
      const text = template.category === 'AUTHENTICATION' ? '{{1}}' : component.text;
      slots.push(...textSlots('body', '', text));
    } else if (type === 'BUTTONS') {
      for (const [at, button] of (component.buttons ?? []).entries()) {
        const slot = template.category === 'AUTHENTICATION' ? codeSlot(at) : buttonSlot(at, button);
        if (slot !== undefined) slots.push(slot);
      }
    } else if (type !== 'FOOTER') return { problem: `it has a component ${type}` };
  }
  return { slots };
}

/** Returns the problems of these values: missing ones and unknown ones. */
export function problemsOf(slots: readonly Slot[], values: ReadonlyMap<string, string>): string[] {
  const wanted = new Set(slots.map(({ column }) => column));
  return [
    ...[...wanted].filter((column) => !values.has(column)).map((column) => `parameter "${column}" is missing`),
    ...[...values.keys()]
      .filter((column) => !wanted.has(column))
      .map((column) => `the template has no parameter "${column}"`),
  ];
}

/** Returns the components of a send with these values, which must be complete. */
export function componentsOf(slots: readonly Slot[], values: ReadonlyMap<string, string>): object[] {
  const components = new Map<string, { parameters: object[] }>();
  for (const { column, place, parameter } of slots) {
    const id = JSON.stringify(place);
    const component = components.get(id) ?? { ...place, parameters: [] };
    components.set(id, component);
    component.parameters.push(parameter(values.get(column) ?? ''));
  }
  return [...components.values()];
}

function textSlots(type: 'header' | 'body', prefix: string, text = ''): Slot[] {
  const names = new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = '']) => name));
  const numbers = [...names].filter((name) => /^\d+$/.test(name));
  const ordered = numbers.length === names.size ? numbers.sort((a, b) => Number(a) - Number(b)) : [...names];
  return ordered.map((name) => ({
    column: `${prefix}${name}`,
    place: { type },
    parameter: (value) => ({
      type: 'text',
      ...(!/^\d+$/.test(name) && { parameter_name: name }),
      text: value,
    }),
  }));
}

/** The column `header` has the URL or the media ID of a header that is a file. */
function mediaSlot(kind: string): Slot {
  return {
    column: 'header',
    place: { type: 'header' },
    parameter: (value) => ({ type: kind, [kind]: /^https?:\/\//i.test(value) ? { link: value } : { id: value } }),
  };
}

/** Returns the slot of a button with a one-time code, which repeats the code of the body. */
function codeSlot(at: number): Slot {
  return {
    column: '1',
    place: { type: 'button', sub_type: 'url', index: String(at) },
    parameter: (text) => ({ type: 'text', text }),
  };
}

/** Returns the slot of a button that has a variable part. */
function buttonSlot(at: number, { type, url }: { type: string; url?: string }): Slot | undefined {
  const index = String(at);
  switch (type.toUpperCase()) {
    case 'URL':
      if (url === undefined || !url.includes('{{')) return undefined;
      return {
        column: `button.${index}`,
        place: { type: 'button', sub_type: 'url', index },
        parameter: (text) => ({ type: 'text', text }),
      };
    case 'COPY_CODE':
      return {
        column: `button.${index}`,
        place: { type: 'button', sub_type: 'copy_code', index },
        parameter: (value) => ({ type: 'coupon_code', coupon_code: value }),
      };
    default:
      return undefined;
  }
}
