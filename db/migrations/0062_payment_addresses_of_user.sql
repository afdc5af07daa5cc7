CREATE INDEX CONCURRENTLY payment_addresses_of_user ON app.payment_addresses (user_id) WHERE user_id IS NOT NULL;
