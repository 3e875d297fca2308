-- The upstream's title and text for users, where it refused the message: whoever asks later is answered in the same words.
ALTER TABLE message
  ADD COLUMN error_user_title text,
  ADD COLUMN error_user_msg text;
