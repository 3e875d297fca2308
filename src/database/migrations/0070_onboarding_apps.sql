-- The app by which the account is shared or its token was made; null stands for the app of UPSTREAM_APP_ID.
ALTER TABLE onboarding ADD COLUMN app_id text REFERENCES app;
ALTER TABLE setup_link ADD COLUMN app_id text REFERENCES app;
