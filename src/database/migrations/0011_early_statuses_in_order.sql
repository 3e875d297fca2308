-- Parked statuses are looked through in the order they came, page by page, and those of one moment are many.
DROP INDEX early_status_by_age;
CREATE INDEX early_status_by_age ON early_status (received_at, wamid_digest);
