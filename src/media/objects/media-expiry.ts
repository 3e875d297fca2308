const DAY_MS = 24 * 60 * 60 * 1000;

/** How long the upstream honours the id of an upload (api-rules#uploads), and of media a person sent. */
export const UPLOADED_LIFE_MS = 30 * DAY_MS;
export const RECEIVED_LIFE_MS = 7 * DAY_MS;

/** How long an expired id is remembered, so that a send with it is told why it is refused. */
export const REMEMBERED_AFTER_MS = 60 * DAY_MS;
