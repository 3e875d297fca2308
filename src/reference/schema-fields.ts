import type { OpenApiDocument, Schema } from './openapi-document.ts';

/** A member of a JSON body, named by its path, such as `contacts[].wa_id`. */
interface Field {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** Levels below the body that a table shows. Deeper objects are shown in the examples. */
const LEVELS_MAX = 4;

/** Returns the members of a body as a Markdown table; empty if the schema names none. */
export function fieldTable(document: OpenApiDocument, schema: Schema | undefined): string {
  const fields = schema === undefined ? [] : fieldsOf(document, schema, '', 0);
  const unique = [...new Map(fields.map((field) => [field.name, field])).values()];
  if (unique.length === 0) return '';
  const rows = unique.map(({ name, type, isRequired, description }) => [
    `\`${name}\``,
    isRequired ? `${type}, required` : type,
    description,
  ]);
  return markdownTable(['Field', 'Type', 'Description'], rows);
}

/** Returns a Markdown table. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cellText).join(' | ')} |`);
  return lines.join('\n');
}

/** Returns the name of a schema's type, such as `string (date-time) or null`. */
export function typeName(document: OpenApiDocument, given: Schema): string {
  const schema = resolve(document, given);
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map((variant) => typeName(document, variant)))].join(' or ');
  if (schema.items) return `array of ${typeName(document, schema.items)}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

function fieldsOf(document: OpenApiDocument, given: Schema, prefix: string, level: number): Field[] {
  const schema = resolve(document, given);
  if (level > LEVELS_MAX) return [];
  const variants = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  const inherited = variants.flatMap((variant) => fieldsOf(document, variant, prefix, level));
  if (schema.items) return fieldsOf(document, schema.items, `${prefix}[]`, level);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const field: Field = {
      name: path,
      type: typeName(document, member),
      isRequired: schema.required?.includes(name) ?? false,
      description: member.description ?? resolve(document, member).description ?? '',
    };
    return [field, ...fieldsOf(document, member, path, level + 1)];
  });
  return [...inherited, ...own];
}

function resolve(document: OpenApiDocument, schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  return document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {};
}

function cellText(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}
