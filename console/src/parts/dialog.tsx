import { Button, type ButtonProps, Modal } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTexts } from '../preferences/preferences.tsx';

interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  label: string;
  /** Contents of the dialog; `close` closes it. */
  children: (close: () => void) => ReactNode;
  wide?: boolean;
}

/** A button that opens a dialog. */
export function DialogButton({ label, children, wide = false, ...props }: DialogButtonProps) {
  const { shell } = useTexts();
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" size="xs" {...props} onClick={open}>
        {label}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={label}
        size={wide ? 'xl' : 'md'}
        closeButtonProps={{ 'aria-label': shell.close }}
      >
        {children(close)}
      </Modal>
    </>
  );
}
