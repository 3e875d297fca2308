/** One entry in the history of a message, as the API shows it. */
export interface TimelineEntry {
  at: string;
  what: string;
  event_id?: string;
  source?: 'answer' | 'webhook';
  message_id?: string | null;
  upstream_status?: string | null;
  outcome?: string;
  webhook_id?: string;
  http_status?: number | null;
  failure?: string | null;
  latency_ms?: number | null;
  error_code?: string | null;
  error_message?: string | null;
  next_attempt_at?: string | null;
  told?: string;
}

export interface Timeline {
  /** Oldest first. */
  data: TimelineEntry[];
  /** Null once the message has left the queue. */
  waiting: { reasons: string[]; next_attempt_at: string | null; expires_at: string } | null;
}

/** Returns the facts of an entry for people. */
export function detailOf(entry: TimelineEntry): string {
  const error = [entry.error_code, entry.error_message].filter(Boolean).join(' ');
  const facts = [
    entry.outcome,
    entry.told && `the platform reported ${entry.told} after the end`,
    error,
    entry.upstream_status,
    entry.next_attempt_at && `next try ${entry.next_attempt_at}`,
    entry.source === 'webhook' && 'reported by a webhook',
    entry.message_id,
  ];
  return facts.filter(Boolean).join(', ');
}
