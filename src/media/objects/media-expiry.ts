const DAY_MS = 24 * 60 * 60 * 1000;

/** Time in ms that the upstream honours the id of an upload (api-rules#uploads), and of media that a person sent. */
export const UPLOADED_LIFE_MS = 30 * DAY_MS;
export const RECEIVED_LIFE_MS = 7 * DAY_MS;

/** Time in ms that an expired id is remembered, so that a send with it gets the reason of its refusal. */
export const REMEMBERED_AFTER_MS = 60 * DAY_MS;
