import { ActionIcon, Box, Code, CopyButton, Group, Tooltip } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { useTexts } from '../preferences/preferences.tsx';
import classes from './parts.module.css';

/** Labels and values. Entries without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([label, value]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}

/** A value to be copied, in the type of code. */
export function Copyable({ value }: { value: string }) {
  return (
    <Group gap={4} wrap="nowrap" component="span" align="center" display="inline-flex">
      <Code className={classes.breakable}>{value}</Code>
      <Copy value={value} />
    </Group>
  );
}

/** A button that copies a text. */
export function Copy({ value, label }: { value: string; label?: string }) {
  const { shell } = useTexts();
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? shell.copied : (label ?? shell.copy)}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={label ?? `${shell.copy}: ${value}`}
          >
            <svg
              viewBox="0 0 16 16"
              width="14"
              height="14"
              aria-hidden="true"
              fill="none"
              stroke="currentColor"
              strokeWidth="1.5"
            >
              {copied ? <path d="M2 8.5l4 4 8-9" /> : <path d="M5 5V2h9v9h-3M2 5h9v9H2z" />}
            </svg>
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A JSON value as text. Markup in it is shown, never run. */
export function JsonBlock({ value, label }: { value: unknown; label: string }) {
  return (
    <Box component="section" aria-label={label} className={classes.json}>
      <pre>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
    </Box>
  );
}
