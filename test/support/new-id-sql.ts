/** SQL of a new id, in the order of its making, as the gateway makes them. PostgreSQL has a function for it from version 18 on. */
export const NEW_ID_SQL = `(
  regexp_replace(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 4096000)::bigint), 15, '0'), '^(.{12})', '\\17')
  || '8' || substr(md5(random()::text), 1, 15)
)::uuid`;
