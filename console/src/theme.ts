import { type CSSVariablesResolver, createTheme } from '@mantine/core';

/** Colours with a contrast of at least 4.5 on the backgrounds that they stand on. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  headings: { fontWeight: '650', sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.1rem' } } },
  respectReducedMotion: true,
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
    '--fairway-good': '#2b8a3e',
    '--fairway-bad': '#c92a2a',
    '--fairway-warn': '#b35900',
    '--fairway-idle': '#5c636a',
    '--fairway-info': '#1864ab',
    '--fairway-panel': '#f8f9fa',
  },
  dark: {
    '--mantine-color-dimmed': '#b0b5ba',
    '--mantine-color-placeholder': '#a6a7ab',
    '--mantine-color-error': '#ff8787',
    '--fairway-good': '#69db7c',
    '--fairway-bad': '#ff8787',
    '--fairway-warn': '#ffc078',
    '--fairway-idle': '#adb5bd',
    '--fairway-info': '#74c0fc',
    '--fairway-panel': '#1f1f1f',
  },
});
