import { isObject } from '../../core/json/index.ts';

/** The template that a body names. */
export interface TemplateInBody {
  name: string;
  language: string;
  /** True if `product_policy` is `STRICT`. */
  isStrict: boolean;
}

/** Returns the template that an accepted body names; undefined if the message is of another type. */
export function templateIn(body: string): TemplateInBody | undefined {
  // Parsing is only needed for templates. In another spelling of the word, the message keeps the ordinary road.
  if (!body.includes('"template"')) return undefined;
  const { type, template, product_policy: policy } = JSON.parse(body) as Record<string, unknown>;
  if (type !== 'template' || !isObject(template) || typeof template.name !== 'string') return undefined;
  const language = isObject(template.language) ? template.language.code : template.language;
  return typeof language === 'string' ? { name: template.name, language, isStrict: policy === 'STRICT' } : undefined;
}
