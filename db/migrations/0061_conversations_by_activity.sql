CREATE INDEX CONCURRENTLY contact_messages_by_activity ON app.contact_messages (greatest(created_at, written_at, replied_at), id);
