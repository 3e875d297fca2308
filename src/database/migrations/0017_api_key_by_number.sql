-- flows name their key by it, and an organization may have many of both
CREATE UNIQUE INDEX api_key_by_number ON api_key (key_number);
