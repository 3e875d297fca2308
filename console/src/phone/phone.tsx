import type { ReactNode } from 'react';
import { useTexts } from '../preferences/preferences.tsx';
import { useTimes } from '../preferences/times.tsx';
import type { Bubble } from './bubble.ts';
import { formatText } from './format-text.tsx';
import classes from './phone.module.css';

/** A phone's screen. */
export function Phone({ title, children, label }: { title: string; children: ReactNode; label: string }) {
  return (
    <section className={classes.phone} aria-label={label}>
      <div className={classes.bar}>{title}</div>
      <div className={classes.screen}>{children}</div>
    </section>
  );
}

interface BubbleProps {
  bubble: Bubble | undefined;
  /** The person's own message, or one that they receive. */
  side: 'received' | 'own';
  at?: string | null;
  /** Status of a message as its sender's phone shows it: one tick, two, or two blue ones. */
  status?: string;
  /** Called with the text of a pressed button. */
  onPress?: (button: string) => void;
}

const TICKS: Record<string, string> = { queued: '…', sent: '✓', delivered: '✓✓', read: '✓✓', failed: '!' };

/** A message as a phone draws it. */
export function BubbleView({ bubble, side, at, status, onPress }: BubbleProps) {
  const { messages } = useTexts();
  const times = useTimes();
  if (bubble !== undefined && isBlank(bubble)) return null;
  const parts = bubble ?? { buttons: [], lines: [messages.contents.unknown ?? ''] };
  return (
    <div className={`${classes.bubble} ${classes[side]}`}>
      {parts.medium !== undefined && (
        <div className={classes.medium}>{messages.contents[parts.medium] ?? parts.medium}</div>
      )}
      {parts.header !== undefined && <div className={classes.header}>{parts.header}</div>}
      {parts.body !== undefined && <div className={classes.body}>{formatText(parts.body)}</div>}
      {parts.lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a message do not move
        <div key={index} className={classes.body}>
          {line}
        </div>
      ))}
      {parts.footer !== undefined && <div className={classes.footer}>{parts.footer}</div>}
      {(at || status) && (
        <div className={classes.meta}>
          {at && times.minute(at)}
          {status !== undefined && (
            <span className={status === 'read' ? classes.seen : undefined} title={messages.statuses[status]}>
              {' '}
              {TICKS[status] ?? ''}
            </span>
          )}
        </div>
      )}
      {parts.buttons.map((button) => (
        <ReplyButton key={button} text={button} onPress={onPress} />
      ))}
    </div>
  );
}

function isBlank({ header, medium, body, footer, buttons, lines }: Bubble): boolean {
  return [header, medium, body, footer, ...buttons, ...lines].every((part) => part === undefined);
}

function ReplyButton({ text, onPress }: { text: string; onPress?: (button: string) => void }) {
  if (onPress === undefined) return <div className={classes.button}>{text}</div>;
  return (
    <button type="button" className={classes.button} onClick={() => onPress(text)}>
      {text}
    </button>
  );
}
