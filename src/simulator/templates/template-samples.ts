import { asObject, asObjects, type JsonObject } from '../graph/json-object.ts';
import type { Platform } from '../platform.ts';
import type { Template } from '../records.ts';

/**
 * Returns a template's components as the platform shows them. Upload handles become CDN URLs, also in carousel cards, and the preset parts
 * of an authentication template are written out.
 */
export function readBackComponents(platform: Platform, template: Template): JsonObject[] {
  return template.components.map((component) => {
    const shown = template.category === 'AUTHENTICATION' ? withPresets(component) : component;
    return readBack(platform, template, shown) as JsonObject;
  });
}

function withPresets(component: JsonObject): JsonObject {
  if (component.type === 'BODY' && component.text === undefined) {
    return { ...component, text: '*{{1}}* is your verification code.', example: { body_text: [['123456']] } };
  }
  if (component.type === 'FOOTER' && component.text === undefined) {
    return { ...component, text: `This code expires in ${String(component.code_expiration_minutes ?? 10)} minutes.` };
  }
  if (component.type !== 'BUTTONS') return component;
  const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}';
  const buttons = asObjects(component.buttons).map((button) =>
    button.type === 'OTP'
      ? { type: 'URL', text: button.text ?? 'Copy code', url, example: [url.replace('{{1}}', '123456')] }
      : button,
  );
  return { ...component, buttons };
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
