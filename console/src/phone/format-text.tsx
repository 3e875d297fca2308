import type { ReactNode } from 'react';

/** A mark of the phone's formatting, on its own words: no letter or digit touches it from outside. */
const MARKS = /(```[^`]+```|(?<![\w])\*[^*\n]+\*(?![\w])|(?<![\w])_[^_\n]+_(?![\w])|(?<![\w])~[^~\n]+~(?![\w]))/g;

/** Draws `*bold*`, `_italic_`, `~struck~` and monospaced text as the phone does. Everything else is plain text, markup included. */
export function formatText(text: string): ReactNode[] {
  return text.split(MARKS).map((part, index) => {
    const key = index;
    if (part.startsWith('```') && part.endsWith('```') && part.length > 6)
      return <code key={key}>{part.slice(3, -3)}</code>;
    if (index % 2 === 0) return part;
    const inner = part.slice(1, -1);
    if (part.startsWith('*')) return <strong key={key}>{inner}</strong>;
    if (part.startsWith('_')) return <em key={key}>{inner}</em>;
    return <s key={key}>{inner}</s>;
  });
}
