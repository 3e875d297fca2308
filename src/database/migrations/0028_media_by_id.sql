-- Tells whether an id that an organization asks for is a file of another one.
CREATE INDEX media_by_id ON media (media_id);
-- The same for templates.
CREATE INDEX template_by_id ON template (id);
