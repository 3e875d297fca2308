/** Control characters, and marks that change the direction of text. A terminal would obey them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are made harmless here
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns data from outside as text that a terminal only shows: each control character as its escape, for example `\u001b`. */
export function safeText(text: string): string {
  return text.replace(CONTROLS, escapeCharacter);
}

/** Returns JSON without characters that a terminal would obey. The value stays the same. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(CONTROLS, (character) =>
    character === '\n' ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
