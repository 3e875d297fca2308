import { asObject, type JsonObject } from './json-object.ts';
import type { Platform } from './platform.ts';
import type { Template } from './records.ts';

/** A template's components as they read back: every upload handle has become a CDN URL, carousel cards included. */
export function readBackComponents(platform: Platform, template: Template): JsonObject[] {
  return template.components.map((component) => readBack(platform, template, component) as JsonObject);
}

function readBack(platform: Platform, template: Template, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => readBack(platform, template, member));
  const object = asObject(value);
  if (object === undefined) return value;
  return Object.fromEntries(
    Object.entries(object).map(([key, member]) => [
      key,
      key === 'header_handle' && Array.isArray(member)
        ? member.map((_, index) => `${platform.origin}/_cdn/${template.id}/${index}?oh=sample`)
        : readBack(platform, template, member),
    ]),
  );
}
