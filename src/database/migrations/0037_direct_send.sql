-- True if bodies with `category` (Direct Send) are accepted outside of the 24-hour window. Most accounts may not use Direct Send.
ALTER TABLE organization ADD COLUMN direct_send boolean NOT NULL DEFAULT false;
