-- What had been committed when an endpoint was made is not for it, also where a transaction older than that was still open: the horizon
-- alone let all in that such a one had kept from being dealt out. Nodes of the version before go by `since_xid`.
ALTER TABLE webhook_endpoint ADD COLUMN since pg_snapshot;
UPDATE webhook_endpoint SET since = (since_xid::text || ':' || since_xid::text || ':')::pg_snapshot;
ALTER TABLE webhook_endpoint ALTER COLUMN since SET DEFAULT pg_current_snapshot(), ALTER COLUMN since SET NOT NULL;
