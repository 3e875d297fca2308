/** Name of the gateway in requests to foreign servers. */
export const USER_AGENT = 'Fairway';
