export { fingerprintJson } from './fingerprint-json.ts';
export { type JsonDocument, readJsonDocument } from './json-document.ts';
export { type JsonLevels, jsonLevels } from './json-levels.ts';
export type { JsonPath, TextRange } from './json-node.ts';
export { insertFirstMember, insertMember, replaceRanges, replaceValue, type TextReplacement } from './splice-json.ts';
