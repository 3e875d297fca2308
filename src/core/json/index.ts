export { fingerprintJson } from './fingerprint-json.ts';
export { isObject, membersOf } from './is-object.ts';
export { type JsonDocument, readJsonDocument, readStoredJson } from './json-document.ts';
export { jsonLevels } from './json-levels.ts';
export type { JsonPath } from './json-node.ts';
export { escapeBeyondAscii, join, type Member, object, present, quoted } from './json-text.ts';
export {
  insertFirstMember,
  insertMember,
  replaceRanges,
  replaceValue,
} from './splice-json.ts';
