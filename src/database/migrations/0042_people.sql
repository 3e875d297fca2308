-- Names of people with more than one. A person known by a phone number alone has no rows.
CREATE SEQUENCE person_number AS bigint MINVALUE 1000000000000000;

-- One name of a person within an account.
CREATE TABLE person_alias (
  organization_id uuid NOT NULL REFERENCES organization,
  -- a conversation key of a phone number, or a user id
  alias text NOT NULL,
  waba_id text NOT NULL,
  -- 0: phone number, or the key of a record that was merged; 1: user id; 2: parent user id
  kind smallint NOT NULL,
  -- the person's key in queues and windows: the conversation key of their phone number, or a number from `person_number`
  person bigint NOT NULL,
  -- the name that the ids of the person's conversations are made from
  person_name text NOT NULL,
  learned_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, alias, waba_id)
);
CREATE INDEX person_alias_by_person ON person_alias (organization_id, person, waba_id);

-- The person's name, if the conversation key of `contact` is another. Where the phone number is unknown, `contact` is the person's key.
ALTER TABLE message ADD COLUMN person text;
-- The person's user id, if it was sent to, or reported.
ALTER TABLE message ADD COLUMN user_id text;

-- Ivory Coast's and Benin's numbers now have one key for both spellings. A person with waiting messages keeps the key of these; all
-- windows are copied to the new key.
INSERT INTO person_alias (organization_id, alias, waba_id, kind, person, person_name, learned_at)
SELECT DISTINCT ON (q.organization_id, alias, q.waba_id) q.organization_id, alias, q.waba_id, 0, q.contact, q.contact::text, now()
FROM (
  SELECT DISTINCT n.organization_id, coalesce(n.waba_id, n.former_waba_id) AS waba_id, q.contact
  FROM send_queue q JOIN sending_number n USING (number_id)
  WHERE q.contact BETWEEN 2250100000000 AND 2250799999999 OR q.contact BETWEEN 2290100000000 AND 2290199999999
) q
CROSS JOIN LATERAL (
  SELECT regexp_replace(q.contact::text,
    '^(225)(?:07(?=.[7-9])|05(?=.[4-6])|01(?=.[0-3]))([04-9][0-9]{7})$|^(229)01([0-9]{8})$', '\1\2\3\4') AS alias
) a
WHERE alias <> q.contact::text AND q.waba_id IS NOT NULL
ORDER BY q.organization_id, alias, q.waba_id, q.contact;

INSERT INTO conversation (organization_id, number_id, contact, last_inbound_at, last_call_at, contact_card)
SELECT DISTINCT ON (c.organization_id, c.number_id, person)
  c.organization_id, c.number_id, coalesce(a.person, key::bigint) AS person, c.last_inbound_at, c.last_call_at, c.contact_card
FROM conversation c
JOIN sending_number n USING (organization_id, number_id)
CROSS JOIN LATERAL (
  SELECT regexp_replace(c.contact::text,
    '^(225)(?:07(?=.[7-9])|05(?=.[4-6])|01(?=.[0-3]))([04-9][0-9]{7})$|^(229)01([0-9]{8})$', '\1\2\3\4') AS key
) k
LEFT JOIN person_alias a ON a.organization_id = c.organization_id AND a.alias = key AND a.waba_id = coalesce(n.waba_id, n.former_waba_id)
WHERE (c.contact BETWEEN 22500000000 AND 22599999999 OR c.contact BETWEEN 2250100000000 AND 2250799999999
    OR c.contact BETWEEN 2290100000000 AND 2290199999999 OR c.contact BETWEEN 22900000000 AND 22999999999)
  AND c.contact <> coalesce(a.person, key::bigint)
ORDER BY c.organization_id, c.number_id, person, c.last_inbound_at DESC
ON CONFLICT (organization_id, number_id, contact) DO UPDATE
  SET last_inbound_at = greatest(conversation.last_inbound_at, excluded.last_inbound_at),
      last_call_at = greatest(conversation.last_call_at, excluded.last_call_at);
