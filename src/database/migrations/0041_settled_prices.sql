-- Country (ISO 3166) of the recipient's number; empty if unknown. Null in messages that were accepted by the previous version.
ALTER TABLE message ADD COLUMN country text;
-- Prices in force for this recipient when the message was accepted, in millionths by category, `*` for all others: a JSON object. Null if
-- they are the default prices.
ALTER TABLE message ADD COLUMN prices jsonb;
-- Rank of the status that reported category and pricing type; a status of a lower rank does not change them.
ALTER TABLE message ADD COLUMN pricing_rank smallint NOT NULL DEFAULT 0;
ALTER TABLE early_status ADD COLUMN pricing_rank smallint NOT NULL DEFAULT 0;
-- Service messages of a number that the platform delivers free in a calendar month. Null: all of them.
ALTER TABLE plan ADD COLUMN free_service_messages bigint DEFAULT 1000 CHECK (free_service_messages >= 0);

-- Prices of messages by category, recipient's country and first day of validity.
CREATE TABLE rate (
  organization_id uuid NOT NULL REFERENCES organization,
  valid_from date NOT NULL,
  -- small letters, words joined by `_`
  category text NOT NULL,
  -- ISO 3166; `*` for every country without a price of its own
  country text NOT NULL,
  price_micros bigint NOT NULL CHECK (price_micros >= 0),
  PRIMARY KEY (organization_id, valid_from, category, country)
);
