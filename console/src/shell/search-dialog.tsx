import { Button, Group, Kbd, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useSession } from '../api/session-context.ts';
import { useOrganization } from '../api/use-api.ts';
import { useTexts } from '../preferences/preferences.tsx';
import { findTargets, type Target } from './find-targets.ts';
import classes from './shell.module.css';

/** The search by keyboard: opened with Ctrl K, moved with the arrows, chosen with Enter. */
export function SearchDialog() {
  const { shell } = useTexts();
  const [opened, { open, close }] = useDisclosure();
  useHotkeys([['mod+K', open]], []);
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={open} aria-keyshortcuts="Control+K">
        <Group gap="xs" wrap="nowrap">
          {shell.search}
          <Kbd size="xs" visibleFrom="sm">
            Ctrl K
          </Kbd>
        </Group>
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={shell.searchTitle}
        closeButtonProps={{ 'aria-label': shell.close }}
        transitionProps={{ duration: 80 }}
      >
        <SearchBox onDone={close} />
      </Modal>
    </>
  );
}

function SearchBox({ onDone }: { onDone: () => void }) {
  const { shell } = useTexts();
  const session = useSession();
  const organization = useOrganization();
  const navigate = useNavigate();
  const [words, setWords] = useState('');
  const [place, setPlace] = useState(0);
  const targets = findTargets(words, session, shell);
  const active = targets[Math.min(place, targets.length - 1)];

  const go = ({ to, search = {} }: Target) => {
    onDone();
    const org = session.organization === null ? organization : undefined;
    void navigate({ to, search: { ...search, ...(org !== undefined && { org }) } as never });
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setPlace(
        (before) => (Math.min(before, targets.length - 1) + step + targets.length) % Math.max(targets.length, 1),
      );
    } else if (event.key === 'Enter' && active !== undefined) {
      event.preventDefault();
      go(active);
    }
  };
  return (
    <Stack gap="xs">
      <TextInput
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          setPlace(0);
        }}
        onKeyDown={press}
        placeholder={shell.searchHint}
        aria-label={shell.searchHint}
        role="combobox"
        aria-expanded={targets.length > 0}
        aria-controls="search-targets"
        aria-activedescendant={active && `target-${active.key}`}
        data-autofocus
      />
      {targets.length === 0 && (
        <Text size="sm" c="dimmed" role="status">
          {shell.searchNothing}
        </Text>
      )}
      <div id="search-targets" role="listbox" aria-label={shell.searchTitle}>
        {targets.map((target) => (
          <div
            key={target.key}
            id={`target-${target.key}`}
            role="option"
            tabIndex={-1}
            aria-selected={target === active}
            className={classes.target}
            onClick={() => go(target)}
            onKeyDown={press}
          >
            {target.label}
          </div>
        ))}
      </div>
    </Stack>
  );
}
