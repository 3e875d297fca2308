-- Whether an account that is parked for a ban or a restriction is rejected in its review, too, and goes on waiting after that.
ALTER TABLE waba ADD COLUMN rejected_too boolean NOT NULL DEFAULT false;
