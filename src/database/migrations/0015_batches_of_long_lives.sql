-- A process counts its batches for as long as it lives: at a hundred a second, integers are used up within 249 days.
ALTER TABLE dispatch_journal ALTER COLUMN batch TYPE bigint;
