import { useTexts } from '../preferences/preferences.tsx';
import classes from './parts.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'idle';

/** A coloured dot before a word, so that the colour is never the only sign. */
export function StateDot({ tone, children }: { tone: Tone; children: React.ReactNode }) {
  return <span className={`${classes.dot} ${classes[tone]}`}>{children}</span>;
}

const TONES: Record<string, Tone> = {
  queued: 'warn',
  sent: 'info',
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  received: 'info',
};

/** The status of a message. */
export function MessageStatus({ status }: { status: string }) {
  const { messages } = useTexts();
  return <StateDot tone={TONES[status] ?? 'idle'}>{messages.statuses[status] ?? status}</StateDot>;
}
