CREATE INDEX CONCURRENTLY contact_messages_of_owner ON app.contact_messages (user_id, id DESC) WHERE user_id IS NOT NULL;
