/** Colours of a line on a light and on a dark page, both with a contrast of 4.5. */
export interface LineColor {
  light: string;
  dark: string;
}

/** Colours of the states of messages, alike in all plots. */
export const STATE_COLORS = {
  accepted: { light: '#5c636a', dark: '#adb5bd' },
  sent: { light: '#1864ab', dark: '#74c0fc' },
  delivered: { light: '#2b8a3e', dark: '#69db7c' },
  failed: { light: '#c92a2a', dark: '#ff8787' },
} as const satisfies Record<string, LineColor>;

/** Colours and dashes of lines without a meaning of their own. The dash tells lines apart without colours. */
export const SERIES: readonly { color: LineColor; dash?: number[] }[] = [
  { color: { light: '#3b5bdb', dark: '#91a7ff' } },
  { color: { light: '#087f5b', dark: '#63e6be' }, dash: [8, 4] },
  { color: { light: '#ae3ec9', dark: '#e599f7' }, dash: [2, 3] },
  { color: { light: '#b35900', dark: '#ffc078' }, dash: [10, 3, 2, 3] },
  { color: { light: '#0b7285', dark: '#66d9e8' }, dash: [5, 5] },
];
