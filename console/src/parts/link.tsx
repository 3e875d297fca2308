import { Anchor, type AnchorProps, Button, type ButtonProps, NavLink, type NavLinkProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';

/** Links of the router, in the shapes of a text, a button and an entry of the menu. */
export const TextLink = createLink((props: AnchorProps & Omit<ComponentPropsWithRef<'a'>, keyof AnchorProps>) => (
  <Anchor inherit={props.size === undefined} {...props} />
));

export const ButtonLink = createLink((props: ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>) => (
  <Button component="a" {...props} />
));

export const MenuLink = createLink((props: NavLinkProps & Omit<ComponentPropsWithRef<'a'>, keyof NavLinkProps>) => (
  <NavLink component="a" {...props} />
));
