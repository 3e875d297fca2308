-- Which platform an account was connected through last: the host of its address, or 'built-in simulator'. Null: nobody noted it.
ALTER TABLE waba ADD COLUMN platform text;
-- The demo's number is one that nobody is given: it was never on another platform.
UPDATE waba w SET platform = 'built-in simulator'
WHERE EXISTS (
  SELECT FROM sending_number n
  WHERE n.organization_id = w.organization_id AND n.waba_id = w.waba_id AND n.phone_number = '12025550100'
);
