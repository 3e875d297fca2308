-- Whether a node takes what the platform tells. Nodes of before, which do not say so, are taken to.
ALTER TABLE node ADD COLUMN serves_api boolean NOT NULL DEFAULT true;
