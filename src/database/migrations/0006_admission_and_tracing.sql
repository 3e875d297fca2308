-- Admission ----------------------------------------------------------------------------------------------------------

ALTER TABLE plan
  -- API requests of all keys together, and of each, on each node
  ADD COLUMN requests_per_second integer CHECK (requests_per_second > 0),
  ADD COLUMN key_requests_per_second integer CHECK (key_requests_per_second > 0),
  -- messages waiting to be sent
  ADD COLUMN queue_max integer CHECK (queue_max >= 0);

-- Roles --------------------------------------------------------------------------------------------------------------

-- whether the node delivers webhooks, as `dispatches` says whether it dispatches messages
ALTER TABLE node ADD COLUMN delivers boolean NOT NULL DEFAULT false;

-- Tracing ------------------------------------------------------------------------------------------------------------

-- W3C trace context of the accepted request, for the call to the upstream; null, and nothing is stored, where nobody traces
ALTER TABLE send_queue ADD COLUMN traceparent text;
