export interface Minute {
  at: string;
  accepted: number;
  sent: number;
  delivered: number;
  failed: number;
}

export interface NodeState {
  id: string;
  alive: boolean;
  roles: string[];
  seen_at: string;
  report: { sent_per_second: number; in_flight: number; numbers: number; memory_bytes: number } | null;
}

export interface Attention {
  kind: string;
  subject: string;
  organization_id: string | null;
  since: string | null;
  reason: string;
  repair: { method: string; path: string; body: Record<string, unknown> | null } | null;
}

/** The state of the whole gateway, as `GET /admin/v1/overview` answers it. */
export interface Overview {
  at: string;
  minutes: Minute[];
  queue: { waiting: number; held: number; oldest_wait_seconds: number } | null;
  webhooks: { oldest_wait_seconds: number; endpoints_waiting: number };
  nodes: NodeState[];
  attention: Attention[];
}
