import type { TemplateSeed } from '../simulator/index.ts';
import type { StoredTemplate } from './queries.ts';

/** Templates of a new test account. */
export const FIRST_TEMPLATES: readonly TemplateSeed[] = [
  { name: 'hello_world', language: 'en_US', category: 'UTILITY' },
  {
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Your order {{1}} is on its way today.', example: { body_text: [['A-1042']] } }],
  },
  { name: 'spring_sale', language: 'en_US', category: 'MARKETING' },
];

/** Returns a stored template as the simulator takes it; undefined if its components cannot be read. */
export function seedOf({ parameterFormat, components, ...stored }: StoredTemplate): TemplateSeed | undefined {
  const parsed: unknown = JSON.parse(components);
  if (!Array.isArray(parsed)) return undefined;
  return { ...stored, components: parsed, parameterFormat: parameterFormat === 'NAMED' ? 'NAMED' : 'POSITIONAL' };
}
