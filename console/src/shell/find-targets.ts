import type { Session } from '../api/session.ts';
import type { Texts } from '../texts/index.ts';
import { pagesFor } from './navigation.ts';

/** An entry of the search: a page, with its filters. */
export interface Target {
  key: string;
  label: string;
  to: string;
  search?: Record<string, string>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the targets for words that a person has typed: messages for ids and numbers, and pages by name. */
export function findTargets(words: string, session: Session, shell: Texts['shell']): Target[] {
  const text = words.trim();
  const pages = pagesFor(session, shell)
    .filter(({ label }) => label.toLowerCase().includes(text.toLowerCase()))
    .map(({ to, label }) => ({ key: to, label, to }));
  return text === '' ? pages : [...messageTargets(text, shell), ...pages];
}

function messageTargets(text: string, shell: Texts['shell']): Target[] {
  if (UUID.test(text))
    return [{ key: 'id', label: shell.searchMessageId(text), to: `/messages/${text.toLowerCase()}` }];
  if (/^wamid\./.test(text)) {
    return [{ key: 'wamid', label: shell.searchWamid, to: '/messages', search: { message_id: text } }];
  }
  if (/^[A-Z]{2}\.[A-Za-z0-9]+$/.test(text)) {
    return [{ key: 'user', label: shell.searchUserId(text), to: '/messages', search: { user_id: text } }];
  }
  const digits = text.replace(/[\s().+-]/g, '');
  if (/^\d{7,15}$/.test(digits)) {
    return [
      { key: 'phone', label: shell.searchPhone(digits), to: '/messages', search: { recipient: digits } },
      { key: 'talk', label: shell.searchConversation(digits), to: '/conversations', search: { person: digits } },
    ];
  }
  if (/^(?:\d{2,6}|[A-Z][A-Z0-9]*_[A-Z0-9_]+)$/.test(text)) {
    return [{ key: 'code', label: shell.searchErrorCode(text), to: '/messages', search: { error_code: text } }];
  }
  return [];
}
